/** Determines the addresses of clients, also behind proxies. Internal. */
@NullMarked
package dev.limiter.spring.address;

import org.jspecify.annotations.NullMarked;
