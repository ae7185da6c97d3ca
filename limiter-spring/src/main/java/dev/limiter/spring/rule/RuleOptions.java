package dev.limiter.spring.rule;

import dev.limiter.OnFailure;
import java.time.Duration;
import java.util.List;

/** The options of a rule, except the ones of its limits. */
public final class RuleOptions {

    public static final Option<List<String>> PATHS = Option.list(
                    "Path patterns of the requests that the rule applies to, such as /api/orders/**")
            .suggest("/api/**", "All below a path.")
            .suggest("/orders/{id}", "One path of each.")
            .named("paths");

    public static final Option<List<String>> METHODS = Option.list(
                    "HTTP methods that the rule applies to, case-insensitive")
            .otherwiseCounts("all")
            .suggestions("GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
            .named("methods");

    public static final Option<List<String>> ROUTES = Option.list(
                    "Ids of the routes of Spring Cloud Gateway that the rule applies to; with paths, only those requests"
                            + " of the routes")
            .suggest("orders", "The route with the id orders.")
            .named("routes");

    public static final Option<Phase> PHASE = Option.oneOf(
                    Phase.class,
                    "When the rule applies: endpoint (after Spring Security, once the endpoint is known) or request"
                            + " (before Spring Security, by path only)")
            .otherwise(Phase.ENDPOINT)
            .named("phase");

    public static final Option<Scope> SCOPE = Option.oneOf(
                    Scope.class, "Whether all matching endpoints share a bucket (rule) or each has its own (endpoint)")
            .otherwise(Scope.RULE)
            .except("but endpoint for methods with @RateLimiter")
            .named("scope");

    public static final Option<List<String>> KEY = Option.list(
                    "What requests share a bucket by, such as ip or \"principal|ip\"")
            .otherwiseCounts("one bucket for all clients")
            .suggest("global", "One bucket for all clients.")
            .suggest("ip", "The client address, or the network of an IPv6 address.")
            .suggest("principal|ip", "The user, or the address without a login.")
            .suggest("session", "The session.")
            .suggest("header:X-Api-Key", "A header of the request.")
            .named("key");

    public static final Option<String> COST = Option.text("Permits that a request takes, as a number or an expression")
            .otherwise("1")
            .suggest("1", "One permit for each request; the default.")
            .named("cost");

    public static final Option<String> MAX_WAIT = Option.duration(
                    "Maximum time that a request may wait for permits instead of being rejected")
            .zeroTo(Duration.ofDays(1))
            .otherwise("0ms")
            .except("or 500ms if only max-waiting is set")
            .suggest("500ms", "Half a second.")
            .remark("With leaky-bucket, requests are spaced evenly.")
            .named("max-wait");

    public static final Option<Integer> MAX_WAITING = Option.count("Maximum number of queued requests per key")
            .range(1, Long.MAX_VALUE)
            .otherwiseCounts("unlimited")
            .suggestions(10, 100)
            .named("max-waiting");

    public static final Option<String> PRIORITY = Option.text(
                    "Expression that is true for requests with priority. Only these may use the reserve, and wait")
            .suggest("#{#request.isUserInRole('ADMIN')}", "Requests of users with a role.")
            .named("priority");

    public static final Option<String> RESERVE = Option.text(
                    "Share of each limit that is reserved for requests with priority, 1% to 99%")
            .suggest("20%", "Keeps a fifth for requests with priority.")
            .named("reserve");

    public static final Option<Mode> MODE = Option.oneOf(
                    Mode.class, "Effect of decisions. The weaker of this mode and limiter.mode applies")
            .otherwise(Mode.ENFORCE)
            .named("mode");

    public static final Option<OnFailure> ON_FAILURE = Option.oneOf(
                    OnFailure.class, "Decisions while Redis is unavailable: local, allow or deny")
            .otherwiseCounts("limiter.redis.on-failure")
            .named("on-failure");

    public static final Option<String> LEASE = Option.text(
                    "Share of each limit that an instance takes from Redis in advance, to decide without a call, 1%"
                            + " to 50%")
            .otherwiseCounts("none")
            .suggest("5%", "Takes up to a twentieth in advance.")
            .remark("With storage: redis. Not for concurrency or paced limits.")
            .named("lease");

    public static final Option<HeaderStyle> HEADERS = Option.oneOf(
                    HeaderStyle.class, "Header fields that inform clients about their limits")
            .otherwiseCounts("limiter.web.headers")
            .except("but none with status: 503")
            .named("headers");

    public static final Option<String> ROLLOUT = Option.text(
                    "Share of the keys for which the rule is enforced, from 0.01% to 100%; the others are in shadow"
                            + " mode")
            .otherwise("100%")
            .suggest("1%", "One key in a hundred.")
            .suggest("10%", "One key in ten.")
            .named("rollout");

    public static final Option<String> CONDITION = Option.text("Expression that is true for the requests to limit")
            .otherwiseCounts("all requests")
            .suggest("#{!#request.isUserInRole('INTERNAL')}", "Requests of users without a role.")
            .named("condition");

    public static final Option<String> CHARGE_IF = Option.text(
                    "Requests that stay charged: failed (any response except 2xx and 3xx), or an expression over"
                            + " #response, such as \"#{#response.status == 401}\". Other requests are refunded before"
                            + " the response is sent")
            .suggest("failed", "Any response except 2xx and 3xx stays charged.")
            .remark("Defaults to all requests.")
            .named("charge-if");

    public static final Option<List<String>> ALLOW = Option.list(
                    "Networks of clients that are never limited, such as 10.0.0.0/8")
            .suggest("10.0.0.0/8", "Private addresses.")
            .named("allow");

    public static final Option<List<String>> DENY = Option.list(
                    "Networks of clients that are always rejected, with status 403")
            .suggest("203.0.113.0/24", "A network.")
            .named("deny");

    public static final Option<Integer> STATUS = Option.count(
                    "HTTP status of the response to a rejected request: 429, which limiter.web.status can replace,"
                            + " or 503 for a limit that protects the application")
            .otherwise(429)
            .except("but 503 for methods of HTTP clients")
            .suggest(429, "The client sends too many requests.")
            .suggest(503, "The limit protects the application.")
            .named("status");

    public static final Option<String> TIER_BY = Option.text(
                    "Tier of a request, as an expression or a part of a key, such as header:X-Plan. Used with tiers")
            .suggest("header:X-Plan", "A header of the request.")
            .suggest("#{@plans.of(#request)}", "The result of a bean.")
            .named("tier-by");

    /** The name of a {@link LimitResolver} bean, or an expression. */
    public static final Option<String> LIMIT_RESOLVER = Option.text(
                    "Source of the limit of each key: the name of a LimitResolver bean, or an expression that returns"
                            + " a number of permits, the name of a tier, or null for the limit of the rule")
            .standingFor(LimitResolver.class)
            .named("limit-resolver");

    public static final Option<String> LIMIT_CACHE = Option.duration(
                    "Age at which a resolved limit is refreshed in the background")
            .zeroTo(Duration.ofDays(1))
            .otherwise("1m")
            .suggest("1m", "The default.")
            .named("limit-cache");

    public static final List<Option<?>> ALL = List.of(
            PATHS,
            METHODS,
            ROUTES,
            PHASE,
            SCOPE,
            KEY,
            COST,
            MAX_WAIT,
            MAX_WAITING,
            PRIORITY,
            RESERVE,
            MODE,
            ROLLOUT,
            ON_FAILURE,
            LEASE,
            HEADERS,
            CONDITION,
            CHARGE_IF,
            ALLOW,
            DENY,
            STATUS,
            TIER_BY,
            LIMIT_RESOLVER,
            LIMIT_CACHE);

    private RuleOptions() {}
}
