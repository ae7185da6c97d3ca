/** The state of a storage that instances share, as the log and the application are told of it. Internal. */
@NullMarked
package dev.limiter.spring.storage;

import org.jspecify.annotations.NullMarked;
