package dev.limiter.spring.integration;

import dev.limiter.spring.webflux.ServerRejectionHandler;
import dev.limiter.spring.webflux.ServerResourceResolver;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.springframework.context.annotation.Bean;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.web.server.ServerHttpSecurity;
import org.springframework.security.core.userdetails.MapReactiveUserDetailsService;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.web.server.SecurityWebFilterChain;
import org.springframework.security.web.server.firewall.ServerWebExchangeFirewall;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.cors.CorsConfiguration;
import org.springframework.web.cors.reactive.CorsConfigurationSource;
import org.springframework.web.cors.reactive.UrlBasedCorsConfigurationSource;
import org.springframework.web.reactive.config.PathMatchConfigurer;
import org.springframework.web.reactive.config.WebFluxConfigurer;
import org.springframework.web.reactive.function.server.RouterFunction;
import org.springframework.web.reactive.function.server.RouterFunctions;
import org.springframework.web.reactive.function.server.ServerResponse;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** Spring WebFlux: what the tests of both web stacks write differently. */
public class WebStack {

    /** Whether the application is one of Spring WebFlux, for the few responses that differ. */
    static final boolean REACTIVE = true;

    /** Lets unusual spellings of URLs reach the limits. */
    @Bean
    static ServerWebExchangeFirewall firewall() {
        return ServerWebExchangeFirewall.INSECURE_NOOP;
    }

    @Bean
    static SecurityWebFilterChain everybody(ServerHttpSecurity http) {
        return http.csrf(ServerHttpSecurity.CsrfSpec::disable)
                .authorizeExchange(requests -> requests.anyExchange().permitAll())
                .build();
    }

    @Bean
    static RouterFunction<ServerResponse> functions() {
        return RouterFunctions.route()
                .GET("/function/{id}", request -> ServerResponse.ok().bodyValue("function"))
                .path(
                        "/nested",
                        nested -> nested.GET(
                                "/function", request -> ServerResponse.ok().bodyValue("nested")))
                .build();
    }

    /** Names resources. */
    interface Resources extends ServerResourceResolver {}

    /** Responds to rejections. */
    interface Rejections extends ServerRejectionHandler {}

    /** Responds to rejections with a status and the name of the rule. */
    static Rejections rejections(int status, String text) {
        return (exchange, decision) -> {
            ServerHttpResponse response = exchange.getResponse();
            response.setStatusCode(HttpStatus.valueOf(status));
            byte[] body = (text + decision.rule().name()).getBytes(StandardCharsets.US_ASCII);
            return response.writeWith(
                    Mono.fromSupplier(() -> response.bufferFactory().wrap(body)));
        };
    }

    /** Spring Security rejects some requests, and paths match in any case. */
    static class Secured implements WebFluxConfigurer {

        @Bean
        SecurityWebFilterChain security(ServerHttpSecurity http) {
            return http.csrf(ServerHttpSecurity.CsrfSpec::disable)
                    .formLogin(Customizer.withDefaults())
                    .httpBasic(Customizer.withDefaults())
                    .authorizeExchange(requests -> requests.pathMatchers("/secret/**", "/pool/secret", "/guarded/**")
                            .authenticated()
                            .anyExchange()
                            .permitAll())
                    .build();
        }

        @Bean
        MapReactiveUserDetailsService users() {
            return new MapReactiveUserDetailsService(
                    User.withUsername("alice").password("{noop}a").build(),
                    User.withUsername("bob").password("{noop}b").build(),
                    User.withUsername("carol").password("{noop}c").build());
        }

        /** Unlike {@code @CrossOrigin}, it is known before the request is mapped. */
        @Bean
        CorsConfigurationSource crossOrigin() {
            UrlBasedCorsConfigurationSource source = new UrlBasedCorsConfigurationSource();
            source.registerCorsConfiguration("/wide/shared", new CorsConfiguration().applyPermitDefaultValues());
            return source;
        }

        @Override
        public void configurePathMatching(PathMatchConfigurer configurer) {
            configurer.setUseCaseSensitiveMatch(false);
        }
    }

    /** Handlers that respond later. */
    @RestController
    static class Asynchronous {

        @GetMapping("/by-rule/later/{gate}")
        Mono<String> later(@PathVariable("gate") String gate) {
            return Mono.fromCallable(() -> ConcurrencyTests.pass(gate)).subscribeOn(Schedulers.boundedElastic());
        }

        @GetMapping("/by-rule/failing-later")
        Mono<String> failing() {
            return Mono.error(new IllegalStateException("on purpose"));
        }

        @GetMapping("/by-rule/never")
        Mono<String> never() {
            return Mono.<String>never().timeout(Duration.ofMillis(100));
        }

        @GetMapping(value = "/by-rule/sse", produces = MediaType.TEXT_EVENT_STREAM_VALUE)
        Flux<String> sse() {
            return Flux.just("one");
        }

        @GetMapping(value = "/by-rule/sse-error", produces = MediaType.TEXT_EVENT_STREAM_VALUE)
        Flux<String> sseError() {
            return Flux.just("one").concatWith(Mono.error(new IllegalStateException("on purpose")));
        }
    }

    /** Handlers that wait after their first bytes. */
    @RestController
    static class Slow {

        @GetMapping(value = "/failed/sse-slow", produces = MediaType.TEXT_EVENT_STREAM_VALUE)
        Flux<String> events() {
            return Flux.just("one")
                    .concatWith(Mono.<String>fromRunnable(ChargeIfTests.GATE::acquireUninterruptibly)
                            .subscribeOn(Schedulers.boundedElastic()));
        }

        @GetMapping(value = "/failed/stream-slow", produces = MediaType.APPLICATION_NDJSON_VALUE)
        Flux<List<String>> stream() {
            return events().map(List::of);
        }
    }
}
