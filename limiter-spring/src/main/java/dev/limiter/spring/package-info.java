/** Rate limiting in Spring applications, independent of Spring Boot and the Servlet API. */
@NullMarked
package dev.limiter.spring;

import org.jspecify.annotations.NullMarked;
