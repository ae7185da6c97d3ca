package dev.limiter.spring.integration;

import static dev.limiter.testkit.Conditions.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.RateLimiters;
import dev.limiter.Rule;
import dev.limiter.spring.compile.Rules;
import dev.limiter.spring.decide.Outcome;
import dev.limiter.spring.decide.RateLimitEvent;
import dev.limiter.spring.decide.RateLimitListener;
import dev.limiter.test.VirtualTimeSource;
import dev.limiter.testkit.Clients;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/**
 * A running application with a clock that stands still, and a client. The tests in this folder run on Spring MVC, and
 * in {@code tests/webflux} on Spring WebFlux; {@code WebStack} is what differs.
 */
@Tag("http")
@SpringBootTest(
        webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
        // Tomcat considers an asynchronous request active after its handler throws, or its client is gone
        properties = "server.shutdown=immediate")
abstract class WebTestSupport {

    @LocalServerPort
    private int port;

    @Autowired
    RateLimiters limiters;

    @Autowired
    Rules rules;

    @Autowired
    VirtualTimeSource time;

    /** All decisions of applications that use {@link Base}. */
    @Autowired(required = false)
    List<RateLimitEvent> events = List.of();

    /** Returns a client of the application. */
    Clients clients() {
        return new Clients(port);
    }

    /** Returns the port of the application. */
    int port() {
        return port;
    }

    HttpResponse<String> get(String path, String... headers) {
        return clients().get(path, headers);
    }

    HttpResponse<String> send(String method, String path, String... headers) {
        return clients().send(method, path, headers);
    }

    HttpResponse<String> sendBody(String method, String path, String body, String... headers) {
        return clients().sendBody(method, path, body, headers);
    }

    HttpResponse<String> post(String path, String body) {
        return sendBody("POST", path, body);
    }

    void assertStatus(int status, String path, String... headers) {
        assertThat(get(path, headers).statusCode()).as(path).isEqualTo(status);
    }

    /** Sends one request per expected status. */
    void assertStatuses(List<Integer> statuses, String path, String... headers) {
        assertThat(statuses.stream().map(any -> get(path, headers).statusCode()).toList())
                .as(path)
                .isEqualTo(statuses);
    }

    Rule rule(String name) {
        return rules.current().find(name).orElseThrow().rule();
    }

    /** Returns the remaining permits of a rule for a key. */
    long remaining(String rule, String key) {
        return limiters.peek(rule(rule), key).remaining();
    }

    long count(Outcome outcome) {
        return events.stream().filter(event -> event.outcome() == outcome).count();
    }

    List<Outcome> outcomes(String rule) {
        return events.stream()
                .filter(event -> event.rule().equals(rule))
                .map(RateLimitEvent::outcome)
                .toList();
    }

    /** Sends requests one by one, each after the previous one waits. */
    List<Future<HttpResponse<String>>> waiting(int count, String path, String... headers) {
        List<Future<HttpResponse<String>>> waiting = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            int before = limiters.waiting();
            waiting.add(background(() -> get(path, headers)));
            await(() -> limiters.waiting() == before + 1);
        }
        return waiting;
    }

    static <T> Future<T> background(Callable<T> task) {
        FutureTask<T> future = new FutureTask<>(task);
        new Thread(future).start();
        return future;
    }

    static <T> T result(Future<T> future) throws Exception {
        return future.get(60, TimeUnit.SECONDS);
    }

    static String field(HttpResponse<?> response, String name) {
        return response.headers().firstValue(name).orElse("");
    }

    /** The base of every test application: security permits all requests, and the clock stands still. */
    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(WebStack.class)
    static class Base {

        @Bean
        VirtualTimeSource time() {
            return new VirtualTimeSource();
        }

        @Bean
        List<RateLimitEvent> events() {
            return new CopyOnWriteArrayList<>();
        }

        @Bean
        RateLimitListener recorder(List<RateLimitEvent> events) {
            return events::add;
        }
    }
}
