/** Who a client is by its address, also behind proxies. */
@NullMarked
package dev.limiter.spring.address;

import org.jspecify.annotations.NullMarked;
