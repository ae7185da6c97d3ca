/** {@code limiter.*} in {@code application.yml}: the properties, and the rules that they declare. Internal. */
@NullMarked
package dev.limiter.spring.config;

import org.jspecify.annotations.NullMarked;
