/**
 * Rules: raw settings, how they merge, and what they compile to. Extension point: {@link
 * dev.limiter.spring.rule.RuleSource}. Internal, but for the types that the manual lists (docs/reference/api.md).
 */
@NullMarked
package dev.limiter.spring.rule;

import org.jspecify.annotations.NullMarked;
