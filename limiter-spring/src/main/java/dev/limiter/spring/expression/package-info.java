/** SpEL in rules: parsed and checked once, evaluated per decision. Internal. */
@NullMarked
package dev.limiter.spring.expression;

import org.jspecify.annotations.NullMarked;
