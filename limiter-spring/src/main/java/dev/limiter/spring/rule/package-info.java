/**
 * Rules: raw settings, how they merge, and what they compile to. Extension point: {@link
 * dev.limiter.spring.rule.RuleSource}.
 */
@NullMarked
package dev.limiter.spring.rule;

import org.jspecify.annotations.NullMarked;
