package dev.limiter.spring.chaos;

import static dev.limiter.testkit.Conditions.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.spring.operate.LiveRules;
import dev.limiter.testkit.Clients;
import dev.limiter.testkit.RealTime;
import dev.limiter.testkit.RedisServer;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * Hundreds of changes on two instances. Others in separate processes follow them through Redis, while clients call all
 * instances.
 */
@Tag("long")
class ChangesUnderLoadTests {

    private static final Log logger = LogFactory.getLog(ChangesUnderLoadTests.class);

    /** The first instances. An instance that changes rules reads the changes of others first. */
    private static final int OPERATED = 2;

    private static final int FOLLOWERS = Integer.getInteger("limiter.followers", 2);

    private static final int INSTANCES = OPERATED + FOLLOWERS;
    private static final int CHANGES = 300;
    private static final int CLIENTS = 3;

    /**
     * The limit of two rules that clients never exhaust. In each round both get one more permit, one after the other.
     */
    private static final int ENOUGH = 1_000_000;

    /** The limits of the rule that rejects, which alternate between rounds. */
    private static final int SMALLER = 5;

    private static final int LARGER = 10;

    /** Requests with one key: more than the larger limit, over many changes. */
    private static final int REQUESTS_OF_KEY = 200;

    /** A bound that holds on any machine; the log contains the measured values. */
    private static final Duration FOLLOWED = Duration.ofSeconds(30);

    private static final String VERSION = "version ";

    private static final Pattern POLICY = Pattern.compile("\"(first|second)\";q=(\\d+)");

    private final RedisServer redis = RedisServer.stopped();
    private final List<ConfigurableApplicationContext> operated = new ArrayList<>();
    private final List<InstanceProcess> followers = new CopyOnWriteArrayList<>();
    private final List<Integer> ports = new CopyOnWriteArrayList<>();
    private final Follow follow = new Follow();
    private final ExecutorService threads = Executors.newCachedThreadPool();

    private final Map<String, AtomicInteger> permitted = new ConcurrentHashMap<>();
    private final AtomicInteger requests = new AtomicInteger();
    private final AtomicInteger rejected = new AtomicInteger();
    private volatile boolean over;

    @BeforeEach
    void start() throws Exception {
        redis.start();
        List<Future<?>> starting = new ArrayList<>();
        for (int i = 0; i < FOLLOWERS; i++) {
            int follower = i;
            starting.add(threads.submit(() -> {
                InstanceProcess process = new InstanceProcess(
                        ChangesUnderLoadTests.class,
                        List.of(),
                        List.of("" + redis.port()),
                        line -> follow.heard(follower, line));
                followers.add(process);
                ports.add(process.port());
                return null;
            }));
        }
        for (int i = 0; i < OPERATED; i++) {
            operated.add(application(redis.port()));
        }
        for (Future<?> each : starting) {
            each.get();
        }
        operated.forEach(each -> ports.add(port(each)));
    }

    private static ConfigurableApplicationContext application(int redisPort) {
        return new SpringApplicationBuilder(Application.class)
                .run(
                        "--server.port=0",
                        "--server.tomcat.threads.max=4",
                        "--server.tomcat.max-keep-alive-requests=-1",
                        "--spring.data.redis.port=" + redisPort,
                        "--management.endpoints.web.exposure.include=limiter",
                        "--management.endpoint.limiter.access=unrestricted",
                        "--limiter.storage=redis",
                        "--limiter.redis.timeout=10s",
                        "--limiter.redis.key-secret=known-to-this-test",
                        "--limiter.rules.first.paths=/asked",
                        "--limiter.rules.first.limit=" + ENOUGH,
                        "--limiter.rules.first.window=100d",
                        "--limiter.rules.first.headers=ietf",
                        "--limiter.rules.second.paths=/asked",
                        "--limiter.rules.second.limit=" + ENOUGH,
                        "--limiter.rules.second.window=100d",
                        "--limiter.rules.second.headers=ietf",
                        "--limiter.rules.scarce.paths=/asked",
                        "--limiter.rules.scarce.key=header:X-Api-Key",
                        "--limiter.rules.scarce.limit=" + SMALLER,
                        "--limiter.rules.scarce.window=100d");
    }

    private static int port(ConfigurableApplicationContext instance) {
        return instance.getEnvironment().getRequiredProperty("local.server.port", Integer.class);
    }

    /** A follower: prints each version of the rules once it is in force, with a time that all processes share. */
    public static void main(String... arguments) throws IOException {
        try (ConfigurableApplicationContext instance = application(Integer.parseInt(arguments[0]))) {
            LiveRules rules = instance.getBean(LiveRules.class);
            Thread watcher = new Thread(() -> {
                long known = 0;
                while (instance.isActive()) {
                    long version = rules.version();
                    if (version > known) {
                        known = version;
                        System.out.println(VERSION + version + " " + System.nanoTime());
                    }
                    RealTime.pass(Duration.ofMillis(2));
                }
            });
            watcher.setDaemon(true);
            watcher.start();
            InstanceProcess.serve(port(instance));
        }
    }

    @AfterEach
    void stop() {
        over = true;
        threads.shutdownNow();
        followers.parallelStream().forEach(InstanceProcess::close);
        operated.forEach(ConfigurableApplicationContext::close);
        redis.close();
    }

    /** Makes change {@code i}, counted from 1. */
    private static String rule(int i) {
        return List.of("scarce", "first", "second").get(i % 3);
    }

    private static long limit(int i) {
        int round = (i + 2) / 3;
        return rule(i).equals("scarce") ? round % 2 == 0 ? SMALLER : LARGER : ENOUGH + round;
    }

    @Test
    void allFollowAndNoRequestIsDecidedByRulesOfTwoVersions() throws Exception {
        List<Future<?>> asking = new ArrayList<>();
        for (int client = 0; client < CLIENTS; client++) {
            int number = client;
            asking.add(threads.submit(() -> ask(number)));
        }
        List<Clients> operators =
                operated.stream().map(each -> new Clients(port(each))).toList();
        List<Clients> all = ports.stream().map(Clients::new).toList();
        long start = System.nanoTime();
        for (int i = 1; i <= CHANGES; i++) {
            change(operators.get(i % OPERATED), i);
            follow.made(i);
        }
        long made = System.nanoTime();
        await(follow::isComplete);
        over = true;
        for (Future<?> each : asking) {
            each.get();
        }

        for (int i = CHANGES - 2; i <= CHANGES; i++) {
            for (Clients instance : all) {
                assertThat(instance.get("/actuator/limiter/" + rule(i)).body()).contains("\"limit\":" + limit(i) + ",");
            }
        }
        assertThat(rejected.get()).isPositive();
        assertThat(permitted.values())
                .allSatisfy(count -> assertThat(count.get()).isLessThanOrEqualTo(LARGER));
        logger.info(CHANGES + " changes in " + TimeUnit.NANOSECONDS.toMillis(made - start) + " ms, " + requests
                + " requests meanwhile, " + rejected + " of them rejected; followed after " + follow);
        assertThat(follow.millis(1)).isLessThanOrEqualTo(FOLLOWED.toMillis());
    }

    /**
     * Makes a change based on the previous version, so that none is lost. A 409 may also mean that the change is in
     * force, but the reply of Redis was late.
     */
    private static void change(Clients operator, int i) {
        String path = "/actuator/limiter/" + rule(i);
        String json = "{\"limit\":" + limit(i) + ",\"version\":" + (i - 1) + "}";
        HttpResponse<String> answer = operator.post(path, json);
        boolean unknown = false;
        while (answer.statusCode() == 429 || answer.statusCode() == 503) {
            unknown |= answer.statusCode() == 503;
            RealTime.pass(Duration.ofMillis(50));
            answer = operator.post(path, json);
        }
        if (unknown && answer.statusCode() == 409) {
            assertThat(operator.get(path).body()).contains("\"limit\":" + limit(i) + ",");
        } else {
            assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        }
    }

    /** Calls all instances in turn. Each response contains the limits that decided. */
    private void ask(int client) {
        List<Clients> all = ports.stream().map(Clients::new).toList();
        for (int i = 0; !over; i++) {
            String key = client + "-" + i / REQUESTS_OF_KEY;
            HttpResponse<String> answer =
                    all.get((i * (client + 1)) % INSTANCES).get("/asked", "X-Api-Key", key);
            assertThat(answer.statusCode()).as(answer.body()).isIn(200, 429);
            if (answer.statusCode() == 200) {
                permitted.computeIfAbsent(key, absent -> new AtomicInteger()).incrementAndGet();
            } else {
                rejected.incrementAndGet();
            }
            requests.incrementAndGet();
            assertThat(limitOf("first", answer) - limitOf("second", answer))
                    .as("the limits that decided")
                    .isBetween(0L, 1L);
        }
    }

    private static long limitOf(String rule, HttpResponse<String> answer) {
        String policies = String.join(",", answer.headers().allValues("RateLimit-Policy"));
        Matcher policy = POLICY.matcher(policies);
        while (policy.find()) {
            if (policy.group(1).equals(rule)) {
                return Long.parseLong(policy.group(2));
            }
        }
        throw new AssertionError(answer.statusCode() + " without " + rule + ": " + policies);
    }

    /** The time until each follower had each change in force, from the response to the operator. */
    private static final class Follow {

        private final AtomicLongArray made = new AtomicLongArray(CHANGES + 1);
        private final long[][] seen = new long[FOLLOWERS][CHANGES + 1];
        private final AtomicIntegerArray known = new AtomicIntegerArray(FOLLOWERS);

        void made(int change) {
            made.set(change, System.nanoTime());
        }

        void heard(int follower, String line) {
            if (!line.startsWith(VERSION)) {
                System.out.println(line);
                return;
            }
            String[] words = line.substring(VERSION.length()).split(" ");
            int version = Integer.parseInt(words[0]);
            Arrays.fill(seen[follower], known.get(follower) + 1, version + 1, Long.parseLong(words[1]));
            known.set(follower, version);
        }

        boolean isComplete() {
            return IntStream.range(0, FOLLOWERS).allMatch(follower -> known.get(follower) == CHANGES);
        }

        long millis(double quantile) {
            long[] nanos = Arrays.stream(seen)
                    .flatMapToLong(ofFollower -> IntStream.rangeClosed(1, CHANGES)
                            .mapToLong(change -> ofFollower[change] - made.get(change)))
                    .sorted()
                    .toArray();
            return TimeUnit.NANOSECONDS.toMillis(nanos[(int) Math.ceil(quantile * nanos.length) - 1]);
        }

        @Override
        public String toString() {
            return millis(0.5) + " ms (median), " + millis(0.99) + " ms (p99), " + millis(1) + " ms (the slowest)";
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @RestController
    static class Application {

        @Bean
        SecurityFilterChain everybody(HttpSecurity http) throws Exception {
            return http.csrf(csrf -> csrf.disable())
                    .authorizeHttpRequests(all -> all.anyRequest().permitAll())
                    .build();
        }

        @GetMapping("/asked")
        String asked() {
            return "ok";
        }
    }
}
