/** JMH benchmarks of ours beside the peers, in one runnable jar. Never published. */
@NullMarked
package dev.limiter.benchmarks;

import org.jspecify.annotations.NullMarked;
