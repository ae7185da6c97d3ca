package dev.limiter.spring.autoconfigure;

import org.springframework.core.convert.ConversionException;
import org.springframework.core.env.Environment;

/** The order of the filter, which is registered before the properties are bound. */
final class FilterOrder {

    /**
     * After the filters that wrap requests, and the one that binds them to the thread (-105); before Spring Security
     * (-100).
     */
    private static final int DEFAULT = -102;

    private FilterOrder() {}

    static int of(Environment environment) {
        try {
            return environment.getProperty("limiter.web.filter-order", Integer.class, DEFAULT);
        } catch (ConversionException | IllegalArgumentException invalid) {
            // reported when the properties are bound
            return DEFAULT;
        }
    }
}
