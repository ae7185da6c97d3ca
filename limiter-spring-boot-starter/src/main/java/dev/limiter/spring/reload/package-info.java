/** Rules whose configuration changes while the application runs. Internal. */
@NullMarked
package dev.limiter.spring.reload;

import org.jspecify.annotations.NullMarked;
