@NullMarked
package dev.limiter.spring.web.settle;

import org.jspecify.annotations.NullMarked;
