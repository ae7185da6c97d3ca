/**
 * What a storage or an algorithm of your own implements and uses. Applications that only set limits need nothing from
 * here.
 */
@NullMarked
package dev.limiter.spi;

import org.jspecify.annotations.NullMarked;
