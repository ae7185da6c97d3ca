package dev.limiter.spring.config;

import dev.limiter.Algorithm;
import dev.limiter.OnFailure;
import dev.limiter.spring.address.TrustedHeader;
import dev.limiter.spring.rule.Align;
import dev.limiter.spring.rule.HeaderStyle;
import dev.limiter.spring.rule.Mode;
import dev.limiter.spring.rule.Phase;
import dev.limiter.spring.rule.Scope;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.context.properties.bind.Name;
import org.springframework.boot.convert.Delimiter;

/**
 * The properties below {@code limiter}. Others are rejected by {@link BindProblemCollector}. The options of rules,
 * limits and bans are components without a description here: see {@link dev.limiter.spring.rule.RuleOptions}, {@link
 * dev.limiter.spring.rule.LimitOptions} and {@link dev.limiter.spring.rule.BanOptions}.
 *
 * @param enabled Whether to enable rate limiting.
 * @param storage Where limits are stored. With memory, each instance has its own limits; with redis, all instances
 *     share them.
 * @param mode Effect of decisions: enforce them, only count them (shadow), or skip them (off). A rule can weaken this
 *     mode but not strengthen it.
 * @param maxKeys Maximum number of keys in memory, 1 to 1000000000.
 * @param nearLimit Use of a limit from which permitted requests are counted in limiter.near.limit, 1% to 99%.
 * @param changesFile File that preserves changes made at the endpoint across restarts, with storage: memory. Without
 *     it, these changes are lost on restart.
 * @param web Limits on HTTP requests.
 * @param redis Limits in Redis, with storage: redis.
 * @param aspect Limits on annotated methods.
 * @param dashboard The page of limiter-dashboard.
 * @param rules Rules by name. A name consists of letters, digits, '-' and '_', and starts with a lowercase letter or
 *     digit. Names that differ only in case, '-' and '_' are the same.
 * @param caps The most that rules may allow, by rule name; default for the automatic limit. Applies to rules from any
 *     source, and to changes at run time.
 * @param rulesFile YAML file with rules as in application.yml, which override all other configuration. Checked for
 *     changes four times a second.
 */
@ConfigurationProperties(LimiterProperties.PREFIX)
public record LimiterProperties(
        @DefaultValue("true") boolean enabled,
        @DefaultValue("memory") Storage storage,
        @DefaultValue("enforce") Mode mode,
        @DefaultValue("100000") long maxKeys,
        @DefaultValue("80%") String nearLimit,
        @Nullable String rulesFile,
        @Nullable String changesFile,
        @DefaultValue Web web,
        @DefaultValue Redis redis,
        @DefaultValue Aspect aspect,
        @DefaultValue Dashboard dashboard,
        @DefaultValue Map<String, Rule> rules,
        @DefaultValue Map<String, Cap> caps) {

    public static final String PREFIX = "limiter";

    /**
     * The properties of {@code limiter.redis}. The server is configured with {@code spring.data.redis} unless {@code
     * url} is set.
     *
     * @param keyPrefix Prefix of all keys in Redis, without braces. Defaults to limiter: followed by the name of the
     *     application. Applications with the same prefix share the limits of rules with the same name.
     * @param url URL of a dedicated server for limits, such as redis://user:password@limits:6379. Defaults to the
     *     server of the application.
     * @param timeout Maximum time for a decision in Redis, at most 10s. If it expires, on-failure applies.
     * @param onFailure Decisions while Redis is unavailable: local (each instance enforces its share of the limit),
     *     allow or deny. Rules can override it.
     * @param instances Number of instances that share the limits, 1 to 1000000. By default, instances are counted
     *     through Redis.
     * @param keySecret Secret for hashing headers, cookies, session IDs and similar values in the keys in Redis, at
     *     least 16 characters. Must be the same for all instances.
     * @param shareChanges Whether changes made at the endpoint of one instance apply to all instances and survive
     *     restarts.
     */
    public record Redis(
            @Nullable String keyPrefix,
            @Nullable String url,
            @DefaultValue("50ms") String timeout,
            @DefaultValue("local") OnFailure onFailure,
            @Nullable Integer instances,
            @Nullable String keySecret,
            @DefaultValue("true") boolean shareChanges) {}

    /**
     * The properties of one cap in {@code limiter.caps}.
     *
     * @param limit Maximum number of permits, per window and at once, 1 to 1000000000000000. At least one limit of the
     *     rule must stay within it.
     * @param window Window of the cap, such as 1s or 1d.
     */
    @ConfigurationProperties("limiter.caps.*") // for the metadata alone
    public record Cap(@Nullable Long limit, @Nullable String window) {}

    /**
     * The properties of {@code limiter.aspect}.
     *
     * @param order Order of the limits among the advice of a method; lower values are further out. By default, limits
     *     are outside transactions, caches and retries, and inside method security. 2147483647 is innermost.
     */
    public record Aspect(@DefaultValue("2147483547") int order) {}

    /**
     * The properties of {@code limiter.dashboard}.
     *
     * @param enabled Whether to serve the page at /limiter if limiter-dashboard is on the class path. Requires Spring
     *     Security, or a loopback address as server.address.
     */
    public record Dashboard(@DefaultValue("true") boolean enabled) {}

    /**
     * The properties of {@code limiter.web}.
     *
     * @param enabled Whether to limit HTTP requests by rules and the automatic limit. Annotated methods are limited in
     *     any case.
     * @param defaultLimit The automatic limit of each endpoint that no rule applies to. None by default.
     * @param exclude Path patterns that are exempt from all rules. /actuator/** follows
     *     management.endpoints.web.base-path.
     * @param staticResources Whether the automatic limit also applies to requests without an endpoint, such as static
     *     files and unknown URLs, as one resource. Rules apply to them in any case if their paths match.
     * @param filterOrder Order of the filter that applies rules with phase: request. By default, just before Spring
     *     Security.
     * @param headers Header fields that inform clients about their limits.
     * @param retryAfterJitter Maximum random delay added to Retry-After, so that rejected clients do not all return at
     *     once.
     * @param status HTTP status of the response to a rejected request, 400 to 599.
     * @param trustedProxies Networks of the proxies that are trusted to name the client of a request, such as
     *     10.0.0.0/8. By default, no proxy is trusted.
     * @param forwardedHeader Header in which trusted proxies name the client: forwarded, x-forwarded-for, or any (one
     *     of the two).
     * @param ipv6Prefix Prefix length of the network that identifies an IPv6 client, 1 to 128.
     * @param allow Networks of clients that are never limited, such as 10.0.0.0/8.
     * @param deny Networks of clients that are always rejected, with status 403.
     */
    public record Web(
            @DefaultValue("true") boolean enabled,
            @Nullable DefaultLimit defaultLimit,
            @DefaultValue({"/actuator/**", "/error"}) List<String> exclude,
            @DefaultValue("false") boolean staticResources,
            @DefaultValue("-102") int filterOrder,
            @DefaultValue("ietf") HeaderStyle headers,
            @DefaultValue("0s") String retryAfterJitter,
            @DefaultValue("429") int status,
            @DefaultValue List<String> trustedProxies,
            @DefaultValue("any") TrustedHeader forwardedHeader,
            @DefaultValue("64") int ipv6Prefix,
            @DefaultValue List<String> allow,
            @DefaultValue List<String> deny) {}

    /**
     * The properties of {@code limiter.web.default-limit}. Each endpoint has its own buckets.
     *
     * @param limits Named limits, instead of a single limit. A request must be permitted by all of them.
     * @param tiers Tiers by name, with the settings that differ from the rule. Used with tier-by.
     */
    public record DefaultLimit(
            @Nullable Long limit,
            @Nullable String window,
            @Nullable Algorithm algorithm,
            @Nullable Long burst,
            @Nullable Integer buckets,
            @Nullable Align align,
            @Nullable String zone,
            @Nullable String warmUp,
            @Nullable Map<String, NamedLimit> limits,
            @Nullable String tierBy,
            @Nullable Map<String, Tier> tiers,
            @Delimiter(Delimiter.NONE) @Nullable List<String> key,
            @Nullable String cost,
            @Nullable String maxWait,
            @Nullable Integer maxWaiting,
            @Nullable String priority,
            @Nullable String reserve,
            @Nullable Mode mode,
            @Nullable String rollout,
            @Nullable OnFailure onFailure,
            @Nullable String lease,
            @Nullable HeaderStyle headers,
            @Nullable String condition,
            @Nullable String chargeIf,
            @Nullable List<String> allow,
            @Nullable List<String> deny,
            @Nullable Integer status,
            @Nullable String limitResolver,
            @Nullable String limitCache) {}

    /**
     * The properties of one rule in {@code limiter.rules}.
     *
     * @param limits Named limits, instead of a single limit. A request must be permitted by all of them.
     * @param tiers Tiers by name, with the settings that differ from the rule. Used with tier-by.
     * @param candidate Limits to try out next to those of the rule, with the settings that differ. They reject nothing,
     *     and are counted as a rule with the suffix -candidate.
     * @param ban Bans keys that are rejected too often.
     */
    @ConfigurationProperties("limiter.rules.*") // for the metadata alone
    public record Rule(
            @Nullable Long limit,
            @Nullable String window,
            @Nullable Algorithm algorithm,
            @Nullable Long burst,
            @Nullable Integer buckets,
            @Nullable Align align,
            @Nullable String zone,
            @Nullable String warmUp,
            @Nullable Map<String, NamedLimit> limits,
            @Nullable String tierBy,
            @Nullable Map<String, Tier> tiers,
            @Nullable Tier candidate,
            @Nullable List<String> paths,
            @Nullable List<String> methods,
            @Nullable List<String> routes,
            @Nullable Phase phase,
            @Nullable Scope scope,
            @Delimiter(Delimiter.NONE) @Nullable List<String> key,
            @Nullable String cost,
            @Nullable String maxWait,
            @Nullable Integer maxWaiting,
            @Nullable String priority,
            @Nullable String reserve,
            @Nullable Mode mode,
            @Nullable String rollout,
            @Nullable OnFailure onFailure,
            @Nullable String lease,
            @Nullable HeaderStyle headers,
            @Nullable String condition,
            @Nullable String chargeIf,
            @Nullable List<String> allow,
            @Nullable List<String> deny,
            @Nullable Ban ban,
            @Nullable Integer status,
            @Nullable String limitResolver,
            @Nullable String limitCache) {}

    /** The properties of a ban. */
    public record Ban(
            @Nullable Long after,
            @Nullable String within,
            @Name("for") @Nullable String duration) {}

    /** The properties of a named limit. */
    @ConfigurationProperties("limiter.rules.*.limits.*") // for the metadata alone
    public record NamedLimit(
            @Nullable Long limit,
            @Nullable String window,
            @Nullable Algorithm algorithm,
            @Nullable Long burst,
            @Nullable Integer buckets,
            @Nullable Align align,
            @Nullable String zone,
            @Nullable String warmUp,
            @Nullable String cost) {}

    /**
     * The properties of a tier. Defaults are the settings of the rule.
     *
     * @param limits Named limits, with the settings that differ from the rule.
     * @param unlimited Whether the tier is exempt from the rule.
     */
    public record Tier(
            @Nullable Long limit,
            @Nullable String window,
            @Nullable Algorithm algorithm,
            @Nullable Long burst,
            @Nullable Integer buckets,
            @Nullable Align align,
            @Nullable String zone,
            @Nullable String warmUp,
            @Nullable Map<String, NamedLimit> limits,
            @Nullable Boolean unlimited) {}
}
