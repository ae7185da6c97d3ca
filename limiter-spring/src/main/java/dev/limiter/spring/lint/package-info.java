/**
 * Looks, once the application has started, for settings that work, but hardly as they were meant, and reports them.
 */
@NullMarked
package dev.limiter.spring.lint;

import org.jspecify.annotations.NullMarked;
