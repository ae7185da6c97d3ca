/**
 * Rules as they are written: definitions, options and settings, and how they merge. Extension point: {@link
 * dev.limiter.spring.rule.RuleSource}. Internal, but for the types that the manual lists (docs/reference/api.md).
 */
@NullMarked
package dev.limiter.spring.rule;

import org.jspecify.annotations.NullMarked;
