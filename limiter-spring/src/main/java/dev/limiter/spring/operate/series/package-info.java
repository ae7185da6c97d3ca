/** The decisions of rules in each of the last seconds. Internal. */
@NullMarked
package dev.limiter.spring.operate.series;

import org.jspecify.annotations.NullMarked;
