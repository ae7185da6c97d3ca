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
 * The properties below {@code limiter}, with no others ({@link BindProblemCollector}). The options of rules, limits and bans are
 * components by their names alone: their meaning is in {@link dev.limiter.spring.rule.RuleOptions}, {@link
 * dev.limiter.spring.rule.LimitOptions} and {@link dev.limiter.spring.rule.BanOptions}.
 *
 * @param enabled Whether anything is limited.
 * @param storage Where the states of limits are: memory, each instance for itself, or redis, all instances together.
 * @param mode Effect of decisions: enforce them, only count them (shadow), or none at all (off). A rule can do less
 *     than this, not more.
 * @param maxKeys How many keys are remembered in memory, 1 to 1000000000.
 * @param nearLimit From which use of a limit a permitted request is counted in limiter.near.limit, 1% to 99%.
 * @param changesFile File in which changes of rules that are made at the endpoint are kept for the next start; by
 *     default they end with the application. For storage: memory.
 * @param web Limits on HTTP requests.
 * @param redis Limits in Redis, and decisions while it fails; for storage: redis.
 * @param aspect Limits on annotated methods.
 * @param dashboard The page of limiter-dashboard.
 * @param rules Rules by name: small letters, digits, '-' and '_'. Names that differ only in case, '-' and '_' are the
 *     same.
 * @param caps The most that rules may allow, by their names, wherever they are defined or changed; default for the
 *     automatic limit.
 * @param rulesFile YAML file with rules, as in application.yml, which come before all else that is configured; looked
 *     at four times a second, also through symbolic links.
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
     * See {@code limiter.redis}. The server and the connections are configured with {@code spring.data.redis}, unless
     * there is a {@code url}.
     *
     * @param keyPrefix Prefix of the names of all keys in Redis, without braces; by default limiter: and the name of
     *     the application. Applications with the same prefix on the same Redis share the limits of rules of the same
     *     name.
     * @param url URL of a server for limits alone, such as redis://user:password@limits:6379; by default that of the
     *     application.
     * @param timeout How long a decision may take, at most 10s; then it is made as on-failure says.
     * @param onFailure Decisions while Redis does not decide: local (each instance has its share of the limit), allow
     *     or deny. Also per rule.
     * @param instances How many instances share the limits, at least 1; by default they are counted through Redis.
     * @param keySecret Secret that headers, cookies, sessions and the like are hashed with before they are part of a
     *     key in Redis, at least 16 characters; the same for all instances.
     * @param shareChanges Whether changes of rules that are made at the endpoint of one instance are those of all, and
     *     are kept for the next start.
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
     * See {@code limiter.caps}.
     *
     * @param limit The most permits per window, and at once, that one limit of the rule must be held to, 1 to
     *     1000000000000000.
     * @param window Time that they are for, such as 1s or 1d.
     */
    @ConfigurationProperties("limiter.caps.*") // for the metadata alone
    public record Cap(@Nullable Long limit, @Nullable String window) {}

    /**
     * See {@code limiter.aspect}.
     *
     * @param order Order of the limits among the advice of a method; lower is further out. By default they are around
     *     transactions, caches and retries, and within method security; 2147483647 is within everything.
     */
    public record Aspect(@DefaultValue("2147483547") int order) {}

    /**
     * See {@code limiter.dashboard}.
     *
     * @param enabled Whether the page is served at /limiter if limiter-dashboard is on the class path. It needs Spring
     *     Security, or a loopback address as server.address.
     */
    public record Dashboard(@DefaultValue("true") boolean enabled) {}

    /**
     * See {@code limiter.web}.
     *
     * @param enabled Whether HTTP requests are limited by the rules and the automatic limit; annotated methods are in
     *     any case.
     * @param defaultLimit The automatic limit of each endpoint that no rule applies to; none if absent.
     * @param exclude Path patterns that no rule applies to; /actuator/** is where
     *     management.endpoints.web.base-path says.
     * @param staticResources Whether the automatic limit applies also to requests without an endpoint (static files,
     *     unknown URLs), as one resource. Rules apply to it in any case, where their paths match the URL.
     * @param filterOrder Order of the filter among others, which decides the rules of phase request; by default just
     *     before Spring Security.
     * @param headers Header fields that tell clients where they stand.
     * @param retryAfterJitter Up to so much is added to Retry-After, so that rejected clients do not return all at
     *     once.
     * @param status Status of the answer to a rejected request, 400 to 599.
     * @param trustedProxies Networks of the proxies that may name the client of a request, such as 10.0.0.0/8; none if
     *     empty.
     * @param forwardedHeader Header in which trusted proxies name the client: forwarded, x-forwarded-for, or any of
     *     both.
     * @param ipv6Prefix Length of the networks that IPv6 clients are told apart by, 1 to 128.
     * @param allow Networks of clients that no rule limits, such as 10.0.0.0/8.
     * @param deny Networks of clients that every rule rejects, with status 403.
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
     * See {@code limiter.web.default-limit}: each endpoint has a budget of its own.
     *
     * @param limits Several limits by name, instead of the one above; all must permit.
     * @param tiers Tiers by name, with their differences from the rule; for tier-by.
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
     * See {@code limiter.rules}.
     *
     * @param limits Several limits by name, instead of the one above; all must permit.
     * @param tiers Tiers by name, with their differences from the rule; for tier-by.
     * @param candidate Limits tried beside those of the rule, as differences from them: they reject nothing, and are
     *     counted as the rule with -candidate in its name.
     * @param ban When a key that goes on in spite of rejections is rejected outright for a while.
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

    /** When a key is rejected outright. */
    public record Ban(
            @Nullable Long after,
            @Nullable String within,
            @Name("for") @Nullable String duration) {}

    /** One of several limits. */
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
     * The settings of one tier; the others are those of the rule.
     *
     * @param limits Differences in the named limits of the rule.
     * @param unlimited Whether the rule does not apply to the tier.
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
