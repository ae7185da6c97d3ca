package dev.limiter.spring.failure;

/**
 * The codes of messages about the configuration. {@code LIM-1xx} to {@code LIM-4xx} fail at startup, {@code LIM-5xx}
 * reject a change while the application runs, and {@code LIM-9xx} are findings about settings that are valid, but
 * probably not intended. Each code has an entry in {@code docs/reference/messages.md}, and keeps its meaning.
 */
public enum MessageCode {
    UNKNOWN_KEY("LIM-101", "Correct the key, or remove it."),
    UNREADABLE_VALUE("LIM-102", "Write a value that the property can have."),
    NAME("LIM-103", "Choose a name of letters, digits, - and _."),
    SAME_NAME("LIM-104", "Give each its own name, and write each key once."),
    UNKNOWN_RULE("LIM-105", "Correct the name, declare the rule, or give the annotation a limit."),
    PLACEHOLDER("LIM-106", "Define the property that the placeholder names, or give it a default: ${name:default}."),
    OUT_OF_RANGE("LIM-107", "Write a number within the range."),
    DURATION("LIM-108", "Write a whole number with a unit, such as 500ms, 10s or 1h."),
    TIME_STEP("LIM-109", "Write a whole number of microseconds, or use storage: memory."),

    LIMIT_MISSING("LIM-201", "Say how many requests the rule permits, such as limit: 100."),
    WINDOW_MISSING("LIM-202", "Say the time that the limit is for, such as window: 1m."),
    ALGORITHM_MISSING("LIM-203", "Choose one of the algorithms that there are."),
    IGNORED_OPTION("LIM-204", "Remove the option, or choose an algorithm that has it."),
    TIME_ZONE("LIM-205", "Write UTC, a region such as Europe/Berlin, or an offset, beside align: calendar."),
    CALENDAR("LIM-206", "Write 1d, 7d or 1mo with algorithm: fixed-window and align: calendar."),
    TWO_SORTS_OF_LIMITS("LIM-207", "Write either one limit directly in the rule, or named ones in limits."),
    COST("LIM-208", "Write a whole number from 1, or an expression that gives one."),
    IMPOSSIBLE_COST("LIM-209", "Raise the burst or limit, or lower the cost."),
    LEASE("LIM-210", "Write a share from 1% to 50%, or remove it."),
    IMPOSSIBLE_LIMIT("LIM-211", "Correct the settings of the limit."),

    KEY("LIM-301", "Name what tells clients apart, such as ip, \"principal|ip\" or \"header:X-Api-Key\"."),
    EXPRESSION("LIM-302", "Correct the expression; it is SpEL over #request or the parameters of the method."),
    PATHS("LIM-303", "Write patterns of Spring MVC, such as /orders, /orders/{id} or /api/**."),
    METHODS("LIM-304", "Write HTTP methods such as GET and POST, beside paths."),
    PHASE("LIM-305", "Add paths, or let the rule decide at the endpoint."),
    ADDRESSES("LIM-306", "Write addresses or networks, such as 192.0.2.7 or 10.0.0.0/8."),
    FALLBACK("LIM-307", "Add a method of that name to the bean, with the same parameters."),
    TIERS("LIM-308", "Set tier-by, and what is different in each tier."),
    BAN("LIM-309", "Say after how many rejections, within which time and for how long."),
    BAN_WITHOUT_KEY("LIM-310", "Give the rule a key, such as ip, or remove the ban."),
    WAITING("LIM-312", "Correct max-waiting, or let the rule decide at the endpoint."),
    PRIORITY("LIM-313", "Write a share from 1% to 99%, next to a priority."),
    LIMIT_RESOLVER("LIM-314", "Name a LimitResolver bean, or write an expression that returns a number of permits."),
    ROLLOUT("LIM-315", "Write a share such as 10% for a rule with a key, or remove it."),
    CANDIDATE("LIM-316", "Say what is different in the candidate, as in the rule itself."),
    CAP("LIM-317", "Lower the limit of the rule, or raise its cap in limiter.caps."),

    REDIS_MISSING("LIM-401", "Add Spring Data Redis with Lettuce, or use limiter.storage: memory."),
    REDIS_PREFIX("LIM-402", "Write a prefix without braces, such as shop:limiter:."),
    REDIS_SECRET("LIM-403", "Write a random text of 16 characters or more, the same for all instances."),
    REDIS_URL("LIM-404", "Write a URL such as redis://host:6379, or remove it to use the server of the application."),
    LARGE_LOG("LIM-405", "Use algorithm: sliding-window-counter, lower the number, or use limiter.storage: memory."),

    DASHBOARD("LIM-407", "Add Spring Security, or set server.address: 127.0.0.1, or limiter.dashboard.enabled: false."),

    CHANGE("LIM-501", "Say what is to be different: limit, window, burst, mode or rollout, and of which limit."),
    CHANGES_FILE("LIM-502", "Remove limiter.changes-file, or have limiter.redis.share-changes: false."),
    RULES_FILE("LIM-503", "Write a YAML file of less than a megabyte with limiter.rules, as in application.yml."),
    FOREIGN_FILE("LIM-504", "Name a file for the changes of rules of this instance alone."),

    RULE_WITHOUT_ENDPOINT("LIM-901", "Correct the paths or methods, or remove the rule."),
    UNUSED_RULE("LIM-902", "Add paths, correct the name, or remove the rule."),
    RULE_WITHOUT_KEY("LIM-903", "Set a key such as ip, or key: global."),
    UNREACHABLE_METHOD("LIM-905", "Make the method one that can be overridden, or annotate one that calls it."),
    CHOSEN_BAN_KEY("LIM-906", "Ban by ip or principal|ip."),
    MAX_KEYS("LIM-907", "Raise limiter.max-keys."),
    KEY_SECRET("LIM-908", "Set limiter.redis.key-secret."),
    SWALLOWED_ANNOTATION("LIM-909", "Move what the annotation says into the rule, or give it a name of its own."),
    FOREIGN_ANNOTATION("LIM-910", "Import dev.limiter.spring.annotation.RateLimiter."),
    EVICTING_SERVER("LIM-913", "Give limits a server with maxmemory-policy noeviction."),
    UNRESOLVED_KEY("LIM-920", "Correct the part of the key that no request has."),
    MISPLACED_PROPERTY("LIM-921", "Correct the name of the property."),
    NOTHING_LIMITED("LIM-922", "Add a rule, a default limit or an annotation, or set limiter.enabled: false."),
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
