/** The addresses of clients, also behind proxies. */
@NullMarked
package dev.limiter.spring.address;

import org.jspecify.annotations.NullMarked;
