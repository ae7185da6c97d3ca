/** The rules that requests meet: immutable, checked, fast to ask. Internal. */
@NullMarked
package dev.limiter.spring.compiled;

import org.jspecify.annotations.NullMarked;
