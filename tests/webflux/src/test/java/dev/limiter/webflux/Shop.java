package dev.limiter.webflux;

import dev.limiter.spring.annotation.RateLimiter;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.http.HttpStatus;
import org.springframework.security.config.web.server.ServerHttpSecurity;
import org.springframework.security.core.userdetails.MapReactiveUserDetailsService;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.web.server.SecurityWebFilterChain;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.reactive.HandlerMapping;
import org.springframework.web.reactive.function.server.RouterFunction;
import org.springframework.web.reactive.function.server.RouterFunctions;
import org.springframework.web.reactive.function.server.ServerResponse;
import org.springframework.web.reactive.handler.SimpleUrlHandlerMapping;
import org.springframework.web.reactive.socket.WebSocketHandler;
import org.springframework.web.server.ResponseStatusException;
import reactor.core.publisher.Mono;

/** A shop with every kind of WebFlux handler. */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
@Import({Shop.Controller.class, Shop.Stock.class})
class Shop {

    @Bean
    SecurityWebFilterChain security(ServerHttpSecurity http) {
        return http.authorizeExchange(paths -> paths.pathMatchers("/account/**")
                        .authenticated()
                        .anyExchange()
                        .permitAll())
                .httpBasic(basic -> {})
                .csrf(ServerHttpSecurity.CsrfSpec::disable)
                .build();
    }

    @Bean
    MapReactiveUserDetailsService users() {
        return new MapReactiveUserDetailsService(
                User.withUsername("ann").password("{noop}secret").roles("USER").build(),
                User.withUsername("bob").password("{noop}secret").roles("ADMIN").build());
    }

    @Bean
    RouterFunction<ServerResponse> routes() {
        return RouterFunctions.route()
                .GET("/functional/{id}", request -> ServerResponse.ok().bodyValue("functional"))
                .build();
    }

    @Bean
    HandlerMapping sockets() {
        WebSocketHandler echo = session -> session.send(session.receive().map(message -> {
            message.retain();
            return message;
        }));
        return new SimpleUrlHandlerMapping(Map.of("/socket", echo), 0);
    }

    @RestController
    static class Controller {

        private final Stock stock;

        Controller(Stock stock) {
            this.stock = stock;
        }

        @GetMapping("/orders/{id}")
        Mono<String> order(@PathVariable String id) {
            return Mono.just("order " + id);
        }

        @GetMapping("/account/{id}")
        Mono<String> account(@PathVariable String id) {
            return Mono.just("account " + id);
        }

        @RateLimiter(limit = 2, window = "1h", key = "ip")
        @GetMapping("/plain")
        String plain() {
            return "plain";
        }

        @RateLimiter(limit = 2, window = "1h", key = "#id")
        @GetMapping("/mono/{id}")
        Mono<String> mono(@PathVariable String id) {
            return Mono.just("mono " + id);
        }

        @RateLimiter(limit = 2, window = "1h")
        @GetMapping("/future")
        CompletableFuture<String> future() {
            return CompletableFuture.supplyAsync(() -> "future");
        }

        @RateLimiter(limit = 2, window = "1h", key = "ip", fallback = "cached")
        @GetMapping("/fallback")
        Mono<String> fallback() {
            return Mono.just("fresh");
        }

        Mono<String> cached() {
            return Mono.just("cached");
        }

        @GetMapping("/stock/{item}")
        Mono<Integer> stock(@PathVariable String item) {
            return stock.of(item);
        }

        @GetMapping("/free/mine")
        Mono<String> mine() {
            return stock.mine();
        }

        @GetMapping("/failing")
        Mono<String> failing() {
            return Mono.error(new ResponseStatusException(HttpStatus.GONE));
        }
    }

    /** A service with a limit of its own. */
    static class Stock {

        final AtomicInteger calls = new AtomicInteger();

        @RateLimiter(limit = 1, window = "1h", key = "principal")
        Mono<String> mine() {
            return Mono.just("mine");
        }

        @RateLimiter(limit = 3, window = "1h", key = "#item")
        Mono<Integer> of(String item) {
            return Mono.fromSupplier(calls::incrementAndGet);
        }
    }
}
