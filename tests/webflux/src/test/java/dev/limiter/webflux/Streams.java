package dev.limiter.webflux;

import dev.limiter.spring.annotation.RateLimiter;
import dev.limiter.spring.integration.WebStack;
import dev.limiter.testkit.RealTime;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.client.ReactorResourceFactory;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.reactive.HandlerMapping;
import org.springframework.web.reactive.handler.SimpleUrlHandlerMapping;
import org.springframework.web.reactive.socket.WebSocketHandler;
import org.springframework.web.reactive.socket.WebSocketMessage;
import org.springframework.web.server.WebFilter;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.netty.resources.LoopResources;

/** Handlers that take their time, on a server with one event loop. */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
@Import({WebStack.class, Streams.Controller.class, Streams.Late.class})
class Streams {

    /** The threads that serve requests: there is one. */
    static final String EVENT_LOOP = "one-event-loop";

    final AtomicInteger arrived = new AtomicInteger();
    final AtomicInteger ended = new AtomicInteger();
    final AtomicInteger handled = new AtomicInteger();
    /** The threads that commit responses. */
    final Set<String> committing = ConcurrentHashMap.newKeySet();

    volatile Sinks.Empty<String> end = Sinks.empty();

    @Bean
    ReactorResourceFactory resources() {
        ReactorResourceFactory resources = new ReactorResourceFactory();
        resources.setUseGlobalResources(false);
        resources.setLoopResourcesSupplier(() -> LoopResources.create(EVENT_LOOP, 1, true));
        return resources;
    }

    @Bean
    @Order(Ordered.HIGHEST_PRECEDENCE)
    WebFilter counting() {
        return (exchange, chain) -> Mono.defer(() -> {
                    arrived.incrementAndGet();
                    if (exchange.getRequest().getPath().value().endsWith("/blocking")) {
                        RealTime.pass(Duration.ofMillis(1));
                    }
                    return chain.filter(exchange);
                })
                .doFinally(signal -> ended.incrementAndGet());
    }

    /** Responds at once, behind the limits. */
    @Bean
    @Order(Ordered.LOWEST_PRECEDENCE)
    WebFilter responding() {
        return (exchange, chain) -> {
            exchange.getResponse()
                    .beforeCommit(() -> Mono.fromRunnable(
                            () -> committing.add(Thread.currentThread().getName())));
            if (!exchange.getRequest().getPath().value().startsWith("/filtered")) {
                return chain.filter(exchange);
            }
            exchange.getResponse().setStatusCode(HttpStatus.ACCEPTED);
            return exchange.getResponse().setComplete();
        };
    }

    @Bean
    HandlerMapping sockets() {
        WebSocketHandler echo = session -> session.send(
                session.receive().map(WebSocketMessage::getPayloadAsText).map(session::textMessage));
        WebSocketHandler throwing = session -> {
            throw new IllegalStateException("on purpose");
        };
        WebSocketHandler failing = session -> Mono.error(new IllegalStateException("on purpose"));
        return new SimpleUrlHandlerMapping(
                Map.of("/socket", echo, "/socket/throwing", throwing, "/socket/failing", failing), 0);
    }

    @RestController
    static class Controller {

        private final Streams streams;
        private final Late late;

        Controller(Streams streams, Late late) {
            this.streams = streams;
            this.late = late;
        }

        @GetMapping({"/queue", "/turns"})
        Mono<String> queue() {
            return Mono.defer(() -> {
                streams.handled.incrementAndGet();
                return streams.end.asMono().defaultIfEmpty("done");
            });
        }

        @GetMapping({"/free", "/limited", "/early", "/refunded"})
        Mono<String> free() {
            return Mono.just("free");
        }

        @RateLimiter("annotated")
        @GetMapping("/annotated")
        Mono<String> annotated() {
            return Mono.just("annotated");
        }

        @RateLimiter("plain")
        @GetMapping("/plain")
        String plain() {
            return "plain";
        }

        @GetMapping("/broken")
        Mono<String> broken() {
            return Mono.just("broken");
        }

        @GetMapping(value = "/events", produces = MediaType.TEXT_EVENT_STREAM_VALUE)
        Flux<String> events() {
            return endless();
        }

        @RateLimiter("annotated-events")
        @GetMapping(value = "/annotated-events", produces = MediaType.TEXT_EVENT_STREAM_VALUE)
        Flux<String> annotatedEvents() {
            return endless();
        }

        @GetMapping(value = "/late", produces = MediaType.TEXT_EVENT_STREAM_VALUE)
        Flux<String> late() {
            return Flux.concat(Mono.just("begun"), Mono.defer(late::call));
        }

        private static Flux<String> endless() {
            return Flux.interval(Duration.ZERO, Duration.ofSeconds(1))
                    .onBackpressureDrop()
                    .map(number -> "event " + number);
        }
    }

    /** A service that is called when the response has begun. */
    static class Late {

        @RateLimiter(name = "late", limit = 1, window = "1h", chargeIf = "#response.status == 401")
        Mono<String> call() {
            return Mono.just("called");
        }
    }
}
