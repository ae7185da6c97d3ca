@NullMarked
package dev.limiter.gateway;

import org.jspecify.annotations.NullMarked;
