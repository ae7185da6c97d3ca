/** What the tests of several modules share. Never published. */
@NullMarked
package dev.limiter.testkit;

import org.jspecify.annotations.NullMarked;
