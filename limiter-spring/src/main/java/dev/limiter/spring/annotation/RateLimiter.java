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
 * Limits how often a method may be called. On a type, it applies to each public method and endpoint, with one bucket
 * for each method. It is also found on interfaces, on superclasses and as a meta-annotation. If it is repeated, all
 * annotations must permit a call. Annotations of a method replace the ones of its type.
 *
 * <pre>{@code
 * @RateLimiter(limit = 10, window = "1s", key = "#user.id")
 * Order place(User user, Cart cart) { ... }
 * }</pre>
 *
 * <p>A call over the limit is passed to the {@link #fallback()}. Without one, it throws
 * {@link dev.limiter.RateLimitExceededException}, which a web application turns into a response with status 429.
 * Invalid attributes fail at startup.
 *
 * <p>Only calls through the Spring proxy are limited, not calls of a bean to itself. {@code ${...}} placeholders are
 * resolved in all text attributes.
 */
@Documented
@Repeatable(RateLimiter.All.class)
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.METHOD, ElementType.TYPE, ElementType.ANNOTATION_TYPE})
public @interface RateLimiter {

    /** A number that is not set, so that the configuration of the rule or the default applies. */
    long UNSET = Long.MIN_VALUE;

    /** The same as {@link #name()}. */
    @AliasFor("name")
    String value() default "";

    /**
     * The configured rule to apply, or the name of the rule that this annotation declares. Defaults to
     * {@code Class.method}. A configured rule with this name overrides single attributes. Without such a rule,
     * {@link #limit()} is required.
     */
    @AliasFor("value")
    String name() default "";

    /** Permits per {@link #window()}, 1 to 10^15; defaults to 100. */
    long limit() default UNSET;

    /**
     * The time that {@link #limit()} refers to, such as {@code 500ms}, {@code 1s} or {@code PT1H}. Defaults to
     * {@code 1m}.
     */
    String window() default "";

    /** The algorithm of the limit. */
    Algorithm algorithm() default Algorithm.TOKEN_BUCKET;

    /**
     * The most permits that can be taken at once, 1 to 10^15; defaults to {@link #limit()}. For token and leaky buckets
     * only.
     */
    long burst() default UNSET;

    /** The sub-windows of a sliding window counter, 1 to 1,000; defaults to 10. */
    int buckets() default Integer.MIN_VALUE;

    /**
     * The time in which the rate rises from a third to the full rate after idling, such as {@code 10s}; no warm-up by
     * default. For token buckets, and leaky buckets with a {@link #maxWait()}; not with a {@link #burst()}.
     */
    String warmUp() default "";

    /**
     * The longest time that a call waits in the calling thread instead of being rejected, such as {@code 500ms}; calls
     * do not wait by default. A leaky bucket then spaces calls evenly. A call that could not be permitted in time is
     * rejected at once; an interrupt ends the wait with a rejection. The number of waiting calls is bounded by what the
     * limit permits within this time, and by {@link #maxWaiting()}; for concurrency only by the latter.
     */
    String maxWait() default "";

    /** The most calls that wait at the same time for one key, at least 1; unbounded by default. */
    int maxWaiting() default Integer.MIN_VALUE;

    /**
     * An expression that is true for calls with priority. Only they may use the {@link #reserve()} and wait. By
     * default, all calls have the same priority.
     */
    String priority() default "";

    /**
     * The share of the limit that is reserved for calls with {@link #priority()}, such as {@code 20%}; none by default.
     */
    String reserve() default "";

    /**
     * The key of a bucket: parts joined by {@code ,}, alternatives by {@code |}, such as {@code principal|ip},
     * {@code header:X-Api-Key}, {@code #user.id} or {@code #p0}. By default, the method has one bucket.
     */
    String key() default "";

    /** The permits that a call takes: a number or an expression, such as {@code #orders.size()}. */
    String cost() default "1";

    /** An expression that is true for the calls to limit. By default, all calls are limited. */
    String condition() default "";

    /**
     * {@code failed}, or an expression that is true for calls that stay charged, such as {@code !#result.successful}.
     * By default, all calls stay charged.
     *
     * <p>Permits are taken before the call and refunded after it if the expression is false. For a
     * {@code CompletionStage}, {@code Mono} or {@code Flux}, that happens when it completes, and {@code #result} is its
     * result. {@code #response.status} is the status of the response to the current request. With {@code failed}, a
     * call has failed if it threw; a handler method has failed if the status of the response is neither 2xx nor 3xx. If
     * the expression fails, the call stays charged and the failure is logged.
     */
    String chargeIf() default "";

    /**
     * The status of the response to a rejected request: 429, or 503 for a limit that protects the application. Defaults
     * to 429, and to 503 for methods of HTTP clients ({@code @HttpExchange}, {@code @FeignClient}).
     */
    int status() default Integer.MIN_VALUE;

    /**
     * The method of the same bean to call instead of a rejected one. It has the same parameters, optionally followed by
     * a {@link dev.limiter.RateLimitExceededException}, and a compatible result. If several annotations reject, the
     * fallback of the first one applies. An annotation of a type does not limit the fallbacks that it names.
     */
    String fallback() default "";

    /** Several {@link RateLimiter}s. A call must be permitted by all of them, and is counted by all or none. */
    @Documented
    @Retention(RetentionPolicy.RUNTIME)
    @Target({ElementType.METHOD, ElementType.TYPE, ElementType.ANNOTATION_TYPE})
    @interface All {

        RateLimiter[] value();
    }
}
