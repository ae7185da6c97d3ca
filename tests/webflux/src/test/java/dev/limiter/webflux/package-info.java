@NullMarked
package dev.limiter.webflux;

import org.jspecify.annotations.NullMarked;
