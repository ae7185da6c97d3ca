/**
 * Types for implementing storages and algorithms. Applications that only define limits need nothing from this package.
 */
@NullMarked
package dev.limiter.spi;

import org.jspecify.annotations.NullMarked;
