package dev.limiter.spring.annotation;

/** The owner of the limit that is used up, which tells how a refusal is answered over HTTP. */
public enum Answer {
    /**
     * {@link #SERVER} for the methods of HTTP clients ({@code @HttpExchange}, {@code @FeignClient}), else {@link
     * #CLIENT}.
     */
    DEFAULT,
    /** The client's: it asked too often, which is status 429. */
    CLIENT,
    /**
     * The application's own, such as what another service lets it ask: the client did nothing wrong and gets status 503
     * with {@code Retry-After}. Fields tell it of such a limit only if {@code headers} of the rule says so.
     */
    SERVER
}
