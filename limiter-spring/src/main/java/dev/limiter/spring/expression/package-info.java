/** SpEL in rules: parsed and checked once, evaluated per decision. */
@NullMarked
package dev.limiter.spring.expression;

import org.jspecify.annotations.NullMarked;
