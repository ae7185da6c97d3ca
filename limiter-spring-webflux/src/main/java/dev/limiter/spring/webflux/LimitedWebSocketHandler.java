package dev.limiter.spring.webflux;

import java.util.List;
import org.springframework.web.reactive.socket.WebSocketHandler;
import org.springframework.web.reactive.socket.WebSocketSession;
import reactor.core.publisher.Mono;

/** Holds the permits of concurrency limits until the WebSocket session ends. */
record LimitedWebSocketHandler(WebSocketHandler handler, ExchangeDecisions decisions) implements WebSocketHandler {

    @Override
    public List<String> getSubProtocols() {
        return handler.getSubProtocols();
    }

    @Override
    public Mono<Void> handle(WebSocketSession session) {
        return Mono.defer(() -> {
                    decisions.beginSession();
                    return handler.handle(session);
                })
                .doFinally(signal -> decisions.close());
    }
}
