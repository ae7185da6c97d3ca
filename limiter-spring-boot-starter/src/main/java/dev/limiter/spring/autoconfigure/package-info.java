/** Auto-configuration. Beans of the application replace those defined here. Internal. */
@NullMarked
package dev.limiter.spring.autoconfigure;

import org.jspecify.annotations.NullMarked;
