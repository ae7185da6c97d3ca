/**
 * Definitions of rules before compilation: options, settings and merging. Extension point: {@link
 * dev.limiter.spring.rule.RuleSource}. Internal, except for the types in docs/reference/api.md.
 */
@NullMarked
package dev.limiter.spring.rule;

import org.jspecify.annotations.NullMarked;
