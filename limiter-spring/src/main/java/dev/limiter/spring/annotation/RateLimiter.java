package dev.limiter.spring.annotation;

import dev.limiter.Algorithm;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.core.annotation.AliasFor;

/**
 * Limits how often a method may be called. On a type: each of its public methods and of its endpoints, every one with a
 * bucket of its own. Found on interfaces, on superclasses and as a meta-annotation; may be repeated, and then all must
 * permit. The annotations of a method replace those of its type.
 *
 * <pre>{@code
 * @RateLimiter(limit = 10, window = "1s", key = "#user.id")
 * Order place(User user, Cart cart) { ... }
 * }</pre>
 *
 * <p>A call over the limit goes to the {@link #fallback()}, or else throws {@link
 * dev.limiter.RateLimitExceededException}, which a web application answers with status 429. A wrong value stops the
 * start of the application.
 *
 * <p>Works on calls that go through the Spring proxy: not on those of a bean to itself. {@code ${...}} is resolved in
 * all texts.
 */
@Documented
@Repeatable(RateLimiter.All.class)
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.METHOD, ElementType.TYPE, ElementType.ANNOTATION_TYPE})
public @interface RateLimiter {

    /** Stands for a number that is not set: the configuration of the rule or the default applies. */
    long UNSET = Long.MIN_VALUE;

    /** The same as {@link #name()}. */
    @AliasFor("name")
    String value() default "";

    /**
     * The rule of the configuration to apply, or the name of the one that is declared here; {@code Class.method} if
     * empty. The configuration of a rule of this name wins, attribute by attribute. A name without such a rule needs a
     * {@link #limit()} here.
     */
    @AliasFor("value")
    String name() default "";

    /** Permits per {@link #window()}, 1 to 10^15; defaults to 100. */
    long limit() default UNSET;

    /**
     * The time that {@link #limit()} refers to, such as {@code 500ms}, {@code 1s} or {@code PT1H}; {@code 1m} if empty.
     */
    String window() default "";

    /** How the limit counts. */
    Algorithm algorithm() default Algorithm.TOKEN_BUCKET;

    /** The most that can be taken at once, 1 to 10^15; defaults to {@link #limit()}. For buckets only. */
    long burst() default UNSET;

    /** The sub-windows of a sliding window counter, 1 to 1,000; defaults to 10. */
    int buckets() default Integer.MIN_VALUE;

    /**
     * The time in which the rate climbs from a third to all of it after idling, such as {@code 10s}; none if empty. For
     * token buckets, and leaky buckets with a {@link #maxWait()}; not with a {@link #burst()}.
     */
    String warmUp() default "";

    /**
     * How long a call may wait for its turn in the calling thread instead of being rejected, such as {@code 500ms}; not
     * at all if empty. Makes a leaky bucket space calls out evenly. A call whose turn would come too late is rejected at
     * once; an interrupt ends the wait with a rejection. At most as many calls wait as the limit permits within this
     * time; for concurrency as many as come, unless {@link #maxWaiting()} says less.
     */
    String maxWait() default "";

    /** The most calls that wait at the same time for one key, at least 1; any number by default. */
    int maxWaiting() default Integer.MIN_VALUE;

    /**
     * An expression that is true for calls that go first: they alone may have the {@link #reserve()}, and wait; all are
     * the same if empty.
     */
    String priority() default "";

    /** The share of the limit that is kept for calls with {@link #priority()}, such as {@code 20%}; none if empty. */
    String reserve() default "";

    /**
     * The key of a bucket: parts joined by {@code ,}, alternatives by {@code |}, such as {@code principal|ip}, {@code
     * header:X-Api-Key}, {@code #user.id} or {@code #p0}. One bucket for the method if empty.
     */
    String key() default "";

    /** The permits that a call takes: a number or an expression, such as {@code #orders.size()}. */
    String cost() default "1";

    /** An expression that is true for the calls to limit; all if empty. */
    String condition() default "";

    /**
     * {@code failed}, or an expression that is true for the calls that stay charged, such as {@code
     * !#result.successful}; all if empty. A call has failed if it threw; that of the method that answers a request, if
     * the answer is anything but 2xx and 3xx. Permits are taken before the call, and given back after it when this is
     * false: for a {@code CompletionStage}, {@code Mono} or {@code Flux} when that is done, and {@code #result} is what
     * it was completed with. {@code #response.status} is the answer to the request that the call is made for. When the
     * expression fails, the call stays charged, and the log says why.
     */
    String chargeIf() default "";

    /**
     * The status of the response to a rejected request: 429, or 503 for a limit that protects the application. Defaults
     * to 429, and to 503 for methods of HTTP clients ({@code @HttpExchange}, {@code @FeignClient}).
     */
    int status() default Integer.MIN_VALUE;

    /**
     * The method of the same bean to call instead of one that is over the limit: with the same parameters, optionally
     * followed by a {@link dev.limiter.RateLimitExceededException}, and a result that fits. Of several
     * annotations that reject, the first says which one, or that there is none. An annotation of a type does not limit
     * the fallbacks that it names.
     */
    String fallback() default "";

    /** Several {@link RateLimiter}s: a call must be permitted by all, and is counted by all or none. */
    @Documented
    @Retention(RetentionPolicy.RUNTIME)
    @Target({ElementType.METHOD, ElementType.TYPE, ElementType.ANNOTATION_TYPE})
    @interface All {

        RateLimiter[] value();
    }
}
