/** Internet addresses of clients, as keys. */
@NullMarked
package dev.limiter.spring.address;

import org.jspecify.annotations.NullMarked;
