package dev.limiter.spring.webflux;

import dev.limiter.spring.context.ResponseView;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.server.reactive.ServerHttpResponse;

/** A response that is about to be committed. */
record ExchangeResponseView(ServerHttpResponse response) implements ResponseView {

    private static final int OK = 200;

    @Override
    public int status() {
        HttpStatusCode status = response.getStatusCode();
        return status == null ? OK : status.value();
    }

    @Override
    public @Nullable String getHeader(String name) {
        return response.getHeaders().getFirst(name);
    }
}
