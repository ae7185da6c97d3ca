/**
 * Start-up checks: settings that work, but hardly as they were meant, in one report once the application has started.
 * Internal.
 */
@NullMarked
package dev.limiter.spring.check;

import org.jspecify.annotations.NullMarked;
