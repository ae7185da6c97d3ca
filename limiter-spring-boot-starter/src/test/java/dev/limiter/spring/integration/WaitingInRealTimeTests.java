package dev.limiter.spring.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.RateLimiters;
import dev.limiter.testkit.Conditions;
import dev.limiter.testkit.RawClient;
import java.io.IOException;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.web.servlet.context.ServletWebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** Pacing by the clock on the wall: what is asserted is what no slow machine can make wrong. */
class WaitingInRealTimeTests {

    private static final long TURN = TimeUnit.MILLISECONDS.toNanos(100);

    /** Those of the server for requests. */
    private static final int THREADS = 8;

    private final ExecutorService clients = Executors.newCachedThreadPool();
    private final List<Socket> sockets = new ArrayList<>();

    @AfterEach
    void disconnect() throws IOException {
        clients.shutdownNow();
        for (Socket socket : sockets) {
            socket.close();
        }
    }

    private static ConfigurableApplicationContext start(String limit, String window, String maxWait) {
        return new SpringApplicationBuilder(Application.class)
                .properties(
                        "server.port=0",
                        "server.shutdown=graceful",
                        "server.tomcat.threads.max=" + THREADS,
                        "spring.lifecycle.timeout-per-shutdown-phase=20s",
                        "limiter.rules.pace.paths=/paced",
                        "limiter.rules.pace.algorithm=leaky-bucket",
                        "limiter.rules.pace.burst=100000",
                        "limiter.rules.pace.limit=" + limit,
                        "limiter.rules.pace.window=" + window,
                        "limiter.rules.pace.max-wait=" + maxWait)
                .run();
    }

    @Test
    void hundredAtOnceAreServedOneByOneByEightThreads() throws Exception {
        try (ConfigurableApplicationContext application = start("10", "1s", "60s")) {
            RateLimiters limiters = application.getBean(RateLimiters.class);
            long start = System.nanoTime();
            List<Future<Long>> served = send(application, 100);

            long waitingAtOnce = 0;
            while (!served.stream().allMatch(Future::isDone)) {
                waitingAtOnce = Math.max(waitingAtOnce, limiters.waiting());
                Thread.yield();
            }

            assertThat(waitingAtOnce).isGreaterThan(2 * THREADS);
            List<Long> times = times(served, start);
            // no request before its turn; a delay is the time of the machine to wake up and answer
            for (int i = 0; i < times.size(); i++) {
                assertThat(times.get(i)).as("request " + i).isGreaterThanOrEqualTo(i * TURN);
            }
            System.out.printf(
                    "100 requests at once, 10 per second: the last was answered after %.3f s%n", times.get(99) / 1e9);
        }
    }

    @Test
    void stoppingTheApplicationAnswersAllWhoWait() throws Exception {
        ConfigurableApplicationContext application = start("1", "80s", "1d");
        List<Future<Integer>> answers = IntStream.range(0, 1001)
                .mapToObj(i -> socket(application))
                .map(socket -> clients.submit(() -> RawClient.statusOf(socket)))
                .toList();
        RateLimiters limiters = application.getBean(RateLimiters.class);
        // the first is served, and the next one's turn comes 80 seconds later
        assertThat(Conditions.isMetWithin(Duration.ofSeconds(70), () -> limiters.waiting() >= 1000))
                .as("all wait")
                .isTrue();

        application.close();

        int rejected = 0;
        for (Future<Integer> answer : answers) {
            int status = answer.get(60, TimeUnit.SECONDS);
            assertThat(status).isIn(200, 429);
            rejected += status == 429 ? 1 : 0;
        }
        assertThat(rejected).isEqualTo(1000);
        assertThat(limiters.waiting()).isZero();
    }

    private List<Future<Long>> send(ConfigurableApplicationContext application, int count) {
        List<Future<Long>> answers = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            Socket socket = socket(application);
            Callable<Long> answered = () -> {
                assertThat(RawClient.statusOf(socket)).isEqualTo(200);
                return System.nanoTime();
            };
            answers.add(clients.submit(answered));
        }
        return answers;
    }

    private Socket socket(ConfigurableApplicationContext application) {
        try {
            return request(application);
        } catch (IOException failure) {
            throw new AssertionError(failure);
        }
    }

    private Socket request(ConfigurableApplicationContext application) throws IOException {
        int port = ((ServletWebServerApplicationContext) application)
                .getWebServer()
                .getPort();
        Socket socket = new RawClient(port).begin("/paced");
        sockets.add(socket);
        return socket;
    }

    private static List<Long> times(List<Future<Long>> served, long start) throws Exception {
        List<Long> times = new ArrayList<>();
        for (Future<Long> one : served) {
            times.add(one.get(60, TimeUnit.SECONDS) - start);
        }
        return times.stream().sorted().toList();
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(Endpoints.class)
    static class Application {

        @Bean
        SecurityFilterChain open(HttpSecurity http) throws Exception {
            return http.authorizeHttpRequests(requests -> requests.anyRequest().permitAll())
                    .build();
        }
    }

    @RestController
    static class Endpoints {

        @GetMapping("/paced")
        String paced() {
            return "served";
        }
    }
}
