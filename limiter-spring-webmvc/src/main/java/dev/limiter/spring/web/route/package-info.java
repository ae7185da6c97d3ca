/** Which endpoint a request comes to, by which patterns, and what paths the application serves. */
@NullMarked
package dev.limiter.spring.web.route;

import org.jspecify.annotations.NullMarked;
