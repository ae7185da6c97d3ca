package dev.limiter.spring.integration;

import dev.limiter.spring.web.RejectionHandler;
import dev.limiter.spring.web.ResourceResolver;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.concurrent.Callable;
import org.springframework.context.annotation.Bean;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configurers.AbstractHttpConfigurer;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.security.web.firewall.HttpFirewall;
import org.springframework.security.web.firewall.StrictHttpFirewall;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.request.async.DeferredResult;
import org.springframework.web.servlet.config.annotation.PathMatchConfigurer;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;
import org.springframework.web.servlet.function.RouterFunction;
import org.springframework.web.servlet.function.RouterFunctions;
import org.springframework.web.servlet.function.ServerResponse;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;
import org.springframework.web.util.pattern.PathPatternParser;

/** Spring MVC: what the tests of both web stacks write differently. */
class WebStack {

    /** True if the application is one of Spring WebFlux, for the few responses that differ. */
    static final boolean REACTIVE = false;

    /** Lets unusual spellings of URLs reach the limits. */
    @Bean
    static HttpFirewall firewall() {
        StrictHttpFirewall firewall = new StrictHttpFirewall();
        firewall.setUnsafeAllowAnyHttpMethod(true);
        firewall.setAllowSemicolon(true);
        firewall.setAllowUrlEncodedPercent(true);
        return firewall;
    }

    @Bean
    static SecurityFilterChain everybody(HttpSecurity http) throws Exception {
        return http.csrf(AbstractHttpConfigurer::disable)
                .authorizeHttpRequests(requests -> requests.anyRequest().permitAll())
                .build();
    }

    @Bean
    static RouterFunction<ServerResponse> functions() {
        return RouterFunctions.route()
                .GET("/function/{id}", request -> ServerResponse.ok().body("function"))
                .path(
                        "/nested",
                        nested -> nested.GET(
                                "/function", request -> ServerResponse.ok().body("nested")))
                .build();
    }

    /** Names resources. */
    interface Resources extends ResourceResolver {}

    /** Responds to rejections. */
    interface Rejections extends RejectionHandler {}

    /** Responds to rejections with a status and the name of the rule. */
    static Rejections rejections(int status, String text) {
        return (request, response, decision) -> {
            response.setStatus(status);
            response.getOutputStream().print(text + decision.rule().name());
        };
    }

    /** Spring Security rejects some requests, and paths match in any case. */
    static class Secured implements WebMvcConfigurer {

        @Bean
        SecurityFilterChain security(HttpSecurity http) throws Exception {
            return http.csrf(AbstractHttpConfigurer::disable)
                    .formLogin(Customizer.withDefaults())
                    .httpBasic(Customizer.withDefaults())
                    .authorizeHttpRequests(
                            requests -> requests.requestMatchers("/secret/**", "/pool/secret", "/guarded/**")
                                    .authenticated()
                                    .anyRequest()
                                    .permitAll())
                    .build();
        }

        @Bean
        UserDetailsService users() {
            return new InMemoryUserDetailsManager(
                    User.withUsername("alice").password("{noop}a").build(),
                    User.withUsername("bob").password("{noop}b").build(),
                    User.withUsername("carol").password("{noop}c").build());
        }

        @Override
        public void configurePathMatch(PathMatchConfigurer configurer) {
            PathPatternParser parser = new PathPatternParser();
            parser.setCaseSensitive(false);
            configurer.setPatternParser(parser);
        }
    }

    /** Handlers that respond later. */
    @RestController
    static class Asynchronous {

        @GetMapping("/by-rule/later/{gate}")
        Callable<String> later(@PathVariable("gate") String gate) {
            return () -> ConcurrencyTests.pass(gate);
        }

        @GetMapping("/by-rule/failing-later")
        DeferredResult<String> failing() {
            DeferredResult<String> result = new DeferredResult<>();
            result.setErrorResult(new IllegalStateException("on purpose"));
            return result;
        }

        @GetMapping("/by-rule/never")
        DeferredResult<String> never() {
            return new DeferredResult<>();
        }

        @GetMapping("/by-rule/sse")
        SseEmitter sse() throws IOException {
            SseEmitter emitter = new SseEmitter();
            emitter.send("one");
            emitter.complete();
            return emitter;
        }

        @GetMapping("/by-rule/sse-error")
        SseEmitter sseError() throws IOException {
            SseEmitter emitter = new SseEmitter();
            emitter.send("one");
            emitter.completeWithError(new IllegalStateException("on purpose"));
            return emitter;
        }
    }

    /** Handlers that wait after their first bytes. */
    @RestController
    static class Slow {

        @GetMapping("/failed/sse-slow")
        SseEmitter events() {
            SseEmitter emitter = new SseEmitter(10_000L);
            new Thread(() -> {
                        try {
                            emitter.send("one");
                            ChargeIfTests.GATE.acquireUninterruptibly();
                            emitter.complete();
                        } catch (IOException failure) {
                            emitter.completeWithError(failure);
                        }
                    })
                    .start();
            return emitter;
        }

        @GetMapping("/failed/stream-slow")
        void stream(HttpServletResponse response) throws IOException {
            response.getOutputStream().print("x".repeat(100_000));
            ChargeIfTests.GATE.acquireUninterruptibly();
        }
    }
}
