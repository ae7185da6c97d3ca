/** Code shared by the tests of several modules. Never published. */
@NullMarked
package dev.limiter.testkit;

import org.jspecify.annotations.NullMarked;
