package dev.limiter.spring.rule;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Another number of permits for one key of a rule, for a while. Immutable.
 *
 * @param key as storages have it
 * @param named the name of the limit, of a rule with several; null for the only one
 * @param limit permits per window, 1 to 10^15
 * @param until when the limits of the rule hold again
 * @param reason the reason, for operators; null if there is none
 */
public record KeyOverride(
        String key,
        @Nullable String named,
        long limit,
        Instant until,
        @Nullable String reason) {

    /** The overrides of a rule: made while the application runs, and not part of the configuration. */
    public static final Option<List<KeyOverride>> OPTION = Option.of("overrides");
}
