/** JMH benchmarks of Limiter and other libraries in one runnable jar. Never published. */
@NullMarked
package dev.limiter.benchmarks;

import org.jspecify.annotations.NullMarked;
