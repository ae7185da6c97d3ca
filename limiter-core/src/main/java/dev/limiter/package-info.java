/** Limits, decisions and the entry point that applies them. */
@NullMarked
package dev.limiter;

import org.jspecify.annotations.NullMarked;
