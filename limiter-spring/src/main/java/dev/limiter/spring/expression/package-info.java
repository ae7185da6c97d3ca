/** SpEL in rules, which is parsed and checked once and evaluated for each decision. Internal. */
@NullMarked
package dev.limiter.spring.expression;

import org.jspecify.annotations.NullMarked;
