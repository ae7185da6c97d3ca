/** Replays the code and the commands of the manual. */
@NullMarked
package dev.limiter.testkit.manual;

import org.jspecify.annotations.NullMarked;
