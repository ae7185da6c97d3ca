package dev.limiter.spring.failure;

/**
 * The codes of messages about the configuration. {@code LIM-1xx} to {@code LIM-4xx} fail at startup, {@code LIM-5xx}
 * reject a change while the application runs, and {@code LIM-9xx} are findings about settings that are valid, but
 * probably not intended. Each code has an entry in the manual, and keeps its meaning.
 */
public enum MessageCode {
    UNKNOWN_KEY("LIM-101", "Correct the spelling or the level of the key, or remove it."),
    UNREADABLE_VALUE("LIM-102", "Write one of the values that the message lists."),
    NAME("LIM-103", "Use letters, digits, - and _, starting with a lowercase letter or digit, such as orders."),
    SAME_NAME("LIM-104", "Rename one of both. Write each key in one spelling only."),
    UNKNOWN_RULE("LIM-105", "Correct the name, add the rule below limiter.rules, or set a limit in the annotation."),
    PLACEHOLDER("LIM-106", "Define the property, or write a default: ${name:default}."),
    OUT_OF_RANGE("LIM-107", "Write a number within the range in the message."),
    DURATION("LIM-108", "Write a whole number with a unit, such as 500ms, 10s or 1h."),
    TIME_STEP("LIM-109", "Write a whole number of microseconds, or use storage: memory."),

    LIMIT_MISSING("LIM-201", "Set the number of requests that the rule permits, such as limit: 100."),
    WINDOW_MISSING("LIM-202", "Set the time that the limit is for, such as window: 1m."),
    ALGORITHM_MISSING("LIM-203", "Use one of the algorithms that the message lists."),
    IGNORED_OPTION("LIM-204", "Remove the option, or use an algorithm that supports it."),
    TIME_ZONE(
            "LIM-205",
            "Write UTC, a region such as Europe/Berlin or an offset such as \"+10:00\", next to align: calendar."),
    CALENDAR("LIM-206", "Write 1d, 7d or 1mo with algorithm: fixed-window and align: calendar."),
    TWO_SORTS_OF_LIMITS("LIM-207", "Set either limit and window in the rule, or named limits in limits."),
    COST("LIM-208", "Write a whole number from 1, or an expression that returns one."),
    IMPOSSIBLE_COST("LIM-209", "Raise the burst or limit, or lower the cost."),
    LEASE("LIM-210", "Write a share from 1% to 50%, or remove it."),
    IMPOSSIBLE_LIMIT("LIM-211", "Remove one of the contradictory settings."),

    KEY("LIM-301", "Write parts such as ip, \"principal|ip\" or \"header:X-Api-Key\"."),
    EXPRESSION("LIM-302", "Correct the SpEL expression. It can use #request or the parameters of the method."),
    PATHS("LIM-303", "Write path patterns such as /orders, /orders/{id} or /api/**."),
    METHODS("LIM-304", "Write HTTP methods such as GET or POST, next to paths."),
    PHASE("LIM-305", "Add paths, or remove phase: request."),
    ADDRESSES("LIM-306", "Write addresses or networks, such as 192.0.2.7 or 10.0.0.0/8."),
    FALLBACK("LIM-307", "Add a method of that name to the bean, with the same parameters."),
    TIERS("LIM-308", "Set tier-by, and the options that differ in each tier."),
    BAN("LIM-309", "Set all of after, within and for, such as ban: { after: 20, within: 1m, for: 15m }."),
    BAN_WITHOUT_KEY("LIM-310", "Give the rule a key, such as ip, or remove the ban."),
    WAITING(
            "LIM-312",
            "Set max-waiting to 1 or more. With phase: request, remove max-wait and max-waiting, or remove phase."),
    PRIORITY("LIM-313", "Write a share from 1% to 99%, such as 20%, next to a priority."),
    LIMIT_RESOLVER("LIM-314", "Name a LimitResolver bean, or write an expression that returns a number of permits."),
    ROLLOUT("LIM-315", "Write a share such as 10% in a rule with a key, or remove it."),
    CANDIDATE("LIM-316", "Set the options that differ from the rule, such as candidate: { limit: 50 }."),
    CAP("LIM-317", "Keep the rule within its cap, or raise the cap in limiter.caps."),

    REDIS_MISSING("LIM-401", "Add Spring Data Redis with Lettuce, or use limiter.storage: memory."),
    REDIS_PREFIX("LIM-402", "Write a prefix without braces, such as shop:limiter:."),
    REDIS_SECRET("LIM-403", "Set a random text of 16 characters or more, the same for all instances."),
    REDIS_URL("LIM-404", "Write a URL such as redis://host:6379, or remove it to use the application's Redis server."),
    LARGE_LOG("LIM-405", "Use algorithm: sliding-window-counter, lower the number, or use limiter.storage: memory."),

    DASHBOARD("LIM-407", "Add Spring Security, or set server.address: 127.0.0.1, or limiter.dashboard.enabled: false."),

    CHANGE("LIM-501", "Send at least one of limit, window, burst, mode and rollout; with several limits, also named."),
    CHANGES_FILE("LIM-502", "Remove limiter.changes-file, or set limiter.redis.share-changes: false."),
    RULES_FILE("LIM-503", "Name a YAML file of at most a megabyte that contains limiter.rules, as in application.yml."),
    FOREIGN_FILE("LIM-504", "Name a file that only this instance uses, in an existing folder, or remove the property."),

    RULE_WITHOUT_ENDPOINT("LIM-901", "Correct the paths or methods, or remove the rule."),
    UNUSED_RULE("LIM-902", "Add paths, correct the name, or remove the rule."),
    RULE_WITHOUT_KEY("LIM-903", "Set a key such as ip, or key: global if one bucket is intended."),
    UNREACHABLE_METHOD("LIM-905", "Make the method overridable, or annotate a method that calls it."),
    CHOSEN_BAN_KEY("LIM-906", "Ban by ip or principal|ip."),
    MAX_KEYS("LIM-907", "Raise limiter.max-keys, or use a key that clients cannot choose."),
    KEY_SECRET("LIM-908", "Set limiter.redis.key-secret."),
    SWALLOWED_ANNOTATION("LIM-909", "Move the attributes into the rule, or give the annotation another name."),
    FOREIGN_ANNOTATION("LIM-910", "Import dev.limiter.spring.annotation.RateLimiter."),
    EVICTING_SERVER("LIM-913", "Use a Redis server with maxmemory-policy noeviction for limits."),
    UNRESOLVED_KEY("LIM-920", "Correct the part of the key that has no value."),
    UNKNOWN_TIER("LIM-923", "Correct the name of the tier, or add the tier."),
    PARALLEL_CHARGES("LIM-924", "Set a max-wait, or a limit above the parallel requests of one client.");

    private final String code;
    private final String action;

    MessageCode(String code, String action) {
        this.code = code;
        this.action = action;
    }

    /** Returns {@code LIM-} and three digits. */
    public String code() {
        return code;
    }

    /** Returns the advice, as a sentence. */
    public String action() {
        return action;
    }

    @Override
    public String toString() {
        return code;
    }
}
