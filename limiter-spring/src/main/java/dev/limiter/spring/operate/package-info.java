/**
 * Inspecting and changing rules while the application runs, for any web framework. Internal, except for the types in
 * docs/reference/api.md.
 */
@NullMarked
package dev.limiter.spring.operate;

import org.jspecify.annotations.NullMarked;
