package dev.limiter.spring.webflux;

import dev.limiter.spring.context.RequestView;
import dev.limiter.spring.context.WebExchange;
import dev.limiter.spring.decide.RequestDecisions;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.web.util.UriUtils;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** The request of an operation that {@link #call} runs, on a thread that may block. Thread-safe. */
public final class ReactiveExchange implements WebExchange {

    private final ThreadLocal<ServerHttpRequest> current = new ThreadLocal<>();

    /** Runs an operation that may block; it finds the request of the subscriber here. */
    public <T> Mono<T> call(Supplier<T> operation) {
        return Mono.deferContextual(subscriber -> {
            RequestDecisions decisions = subscriber.getOrDefault(RequestDecisions.class, null);
            RequestView view = decisions == null ? null : decisions.view();
            ServerHttpRequest request = view == null ? null : view.unwrap(ServerHttpRequest.class);
            return Mono.fromSupplier(() -> {
                        current.set(request);
                        try {
                            return operation.get();
                        } finally {
                            current.remove();
                        }
                    })
                    .subscribeOn(Schedulers.boundedElastic());
        });
    }

    @Override
    public boolean isAbout(String name) {
        ServerHttpRequest request = request();
        if (request == null) {
            return true;
        }
        String path = request.getPath().value();
        String last = path.substring(path.lastIndexOf('/') + 1).replaceFirst(";.*", "");
        return UriUtils.decode(last, StandardCharsets.UTF_8).equals(name);
    }

    @Override
    public Map<String, List<String>> parameters() {
        ServerHttpRequest request = request();
        return request == null ? Map.of() : new LinkedHashMap<>(request.getQueryParams());
    }

    private @Nullable ServerHttpRequest request() {
        return current.get();
    }
}
