package dev.limiter.spring.rule;

import dev.limiter.OnFailure;
import dev.limiter.spring.annotation.Answer;
import java.util.List;

/** The options of a rule, beside those of its limits. */
public final class RuleOptions {

    public static final Option<List<String>> PATHS = Option.listOf("paths");

    /** HTTP methods, in any case. */
    public static final Option<List<String>> METHODS = Option.listOf("methods");

    /** When it decides, if it has paths. */
    public static final Option<Phase> PHASE = Option.of("phase");

    public static final Option<Scope> SCOPE = Option.of("scope");

    /** The parts of the key; one text may hold several, joined by commas. */
    public static final Option<List<String>> KEY = Option.listOf("key");

    /** A number or an expression. */
    public static final Option<String> COST = Option.of("cost");

    /** For how long requests may wait. */
    public static final Option<String> MAX_WAIT = Option.of("max-wait");

    /** How many may wait at the same time. */
    public static final Option<Integer> MAX_WAITING = Option.of("max-waiting");

    /** An expression that is true for requests that go first. */
    public static final Option<String> PRIORITY = Option.of("priority");

    /** The share of each limit that is kept for those, such as 20%. */
    public static final Option<String> RESERVE = Option.of("reserve");

    public static final Option<Mode> MODE = Option.of("mode");

    /** The way to decide while a storage that all instances share does not. */
    public static final Option<OnFailure> ON_FAILURE = Option.of("on-failure");

    /** The share of the limits that an instance takes ahead, such as 5%. */
    public static final Option<String> LEASE = Option.of("lease");

    public static final Option<HeaderStyle> HEADERS = Option.of("headers");

    /** The share of the keys that are refused, such as 10%; for the others the rule only watches. */
    public static final Option<String> ENFORCE = Option.of("enforce");

    /** An expression; the rule applies only where it is true. */
    public static final Option<String> CONDITION = Option.of("condition");

    /** An expression; the rule does not apply where it is true. */
    public static final Option<String> SKIP_IF = Option.of("skip-if");

    /** An expression; what was taken is returned where it turns out false. */
    public static final Option<String> CHARGE_IF = Option.of("charge-if");

    /** Networks or single addresses that the rule does not apply to. */
    public static final Option<List<String>> ALLOW = Option.listOf("allow");

    /** Networks or single addresses that are always refused. */
    public static final Option<List<String>> DENY = Option.listOf("deny");

    /** The owner of the limit. */
    public static final Option<Answer> ANSWER = Option.of("answer");

    /** The name of a {@link LimitResolver} bean, or an expression. */
    public static final Option<String> LIMIT_RESOLVER = Option.of("limit-resolver");

    /** For how long the limit of a key holds that was resolved. */
    public static final Option<String> LIMIT_CACHE = Option.of("limit-cache");

    public static final List<Option<?>> ALL = List.of(
            PATHS,
            METHODS,
            PHASE,
            SCOPE,
            KEY,
            COST,
            MAX_WAIT,
            MAX_WAITING,
            PRIORITY,
            RESERVE,
            MODE,
            ENFORCE,
            ON_FAILURE,
            LEASE,
            HEADERS,
            CONDITION,
            SKIP_IF,
            CHARGE_IF,
            ALLOW,
            DENY,
            ANSWER,
            LIMIT_RESOLVER,
            LIMIT_CACHE);

    /** The options that select the requests of a rule and count them: not those that act on the decision. */
    static final List<Option<?>> OF_COUNTING = List.of(
            PATHS,
            METHODS,
            PHASE,
            SCOPE,
            KEY,
            COST,
            MAX_WAIT,
            MAX_WAITING,
            PRIORITY,
            RESERVE,
            CONDITION,
            SKIP_IF,
            CHARGE_IF,
            ALLOW,
            DENY,
            LIMIT_RESOLVER);

    private RuleOptions() {}
}
