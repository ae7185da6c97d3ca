package dev.limiter.spring.webflux;

import dev.limiter.Decision;
import dev.limiter.spring.edge.RejectionResponses;
import dev.limiter.spring.edge.RejectionResponses.RejectionResponse;
import dev.limiter.spring.response.ProblemBody;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Locale;
import org.springframework.context.MessageSource;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;

/** Responds to rejected requests with {@link RejectionResponses}. Thread-safe. */
public final class ProblemServerRejectionHandler implements ServerRejectionHandler {

    private final RejectionResponses responses;

    /** The parameters are those of {@link RejectionResponses}. */
    public ProblemServerRejectionHandler(int status, Duration maxJitter, MessageSource messages) {
        this.responses = new RejectionResponses(status, maxJitter, messages);
    }

    @Override
    public Mono<Void> handle(ServerWebExchange exchange, Decision rejection) {
        Locale locale = exchange.getLocaleContext().getLocale();
        RejectionResponse content = responses.of(
                ExchangeDecisions.of(exchange),
                rejection,
                exchange.getRequest().getURI().getRawPath(),
                locale == null ? Locale.getDefault() : locale);
        byte[] body = content.body().toString().getBytes(StandardCharsets.US_ASCII);
        ServerHttpResponse response = exchange.getResponse();
        response.setStatusCode(HttpStatusCode.valueOf(content.status()));
        HttpHeaders headers = response.getHeaders();
        content.retryAfter().ifPresent(seconds -> headers.set(HttpHeaders.RETRY_AFTER, Long.toString(seconds)));
        headers.set(HttpHeaders.CACHE_CONTROL, "no-store");
        headers.set(HttpHeaders.CONTENT_TYPE, ProblemBody.MEDIA_TYPE);
        headers.setContentLength(body.length);
        return exchange.getRequest().getMethod().equals(HttpMethod.HEAD)
                ? response.setComplete()
                : response.writeWith(
                        Mono.fromSupplier(() -> response.bufferFactory().wrap(body)));
    }

    /** Delays the retry of the client at random. */
    void delay(ExchangeDecisions decisions) {
        responses.delay(decisions);
    }
}
