package dev.limiter.readme;

import static org.assertj.core.api.Assertions.assertThat;

import com.example.Shop;
import dev.limiter.Limit;
import dev.limiter.RateLimiters;
import dev.limiter.Rule;
import dev.limiter.TimeSource;
import dev.limiter.sample.SampleApplication;
import dev.limiter.testkit.Clients;
import dev.limiter.testkit.Conditions;
import dev.limiter.testkit.RedisServer;
import dev.limiter.testkit.manual.Manual;
import dev.limiter.testkit.manual.Transcript;
import dev.limiter.testkit.manual.Transcript.Step;
import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.ApplicationRunner;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.MessageSource;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.support.StaticMessageSource;

/** Replays the commands of the manual against the sample and other applications, and compares the output. */
class TranscriptTests {

    static final List<Path> PAGES = Stream.concat(
                    Stream.of(
                            Manual.README,
                            Manual.page("tour-of-the-sample.md"),
                            Manual.page("guides/on-call.md"),
                            Manual.page("reference/endpoint.md"),
                            Manual.page("reference/headers-and-body.md")),
                    Manual.pages().stream().filter(page -> page.startsWith(Manual.page("operations"))))
            .toList();

    private static final Pattern START = Pattern.compile("mvn .*-pl sample-app -am spring-boot:run(.*)");
    private static final Pattern PROFILE = Pattern.compile("-Dspring-boot.run.profiles=(\\S+)");
    private static final Pattern PORT = Pattern.compile("--server.port=(\\d+)");

    private final List<AutoCloseable> started = new ArrayList<>();
    private final Map<String, String> servers = new HashMap<>();
    private final Transcript transcript = new Transcript(servers);

    @AfterEach
    void stop() throws Exception {
        for (int i = started.size() - 1; i >= 0; i--) {
            started.get(i).close();
        }
    }

    @TestFactory
    Stream<DynamicTest> tourOfTheSample() {
        return replayed(Manual.page("tour-of-the-sample.md"));
    }

    @TestFactory
    Stream<DynamicTest> readme() {
        start("8080", HelloController.class);
        return Stream.concat(
                Stream.of(DynamicTest.dynamicTest(
                        "three greetings",
                        () -> transcript.run("for i in 1 2 3; do curl -s localhost:8080/hello; done"))),
                replayed(Manual.README));
    }

    @TestFactory
    Stream<DynamicTest> onCall() {
        return replayedWhenUsedUp(Manual.page("guides/on-call.md"), Operators.class);
    }

    @TestFactory
    Stream<DynamicTest> endpoint() {
        return replayedWhenUsedUp(Manual.page("reference/endpoint.md"));
    }

    /** One key has no permits left, and one address is banned. */
    private Stream<DynamicTest> replayedWhenUsedUp(Path page, Class<?>... more) {
        Clients clients = startShop(
                List.of(more),
                "limiter.rules.orders.paths=/api/orders/**",
                "limiter.rules.orders.key=header:X-Api-Key",
                "limiter.rules.orders.limit=100",
                "limiter.rules.orders.window=20m",
                "limiter.rules.login.paths=/login",
                "limiter.rules.login.key=ip",
                "limiter.rules.login.limit=5",
                "limiter.rules.login.window=1h",
                "limiter.rules.login.ban.after=20",
                "limiter.rules.login.ban.within=1m",
                "limiter.rules.login.ban.for=15m");
        servers.put("localhost:8080", "127.0.0.1:" + clients.port());
        transcript.run("for i in {1..25}; do curl -s -X POST localhost:8080/login; done");
        // one permit comes back every twelve seconds
        DynamicTest usedUp = DynamicTest.dynamicTest(
                "no permit is left",
                () -> transcript.run("curl -s -H 'X-Api-Key: acme' 'localhost:8080/api/orders/42#[1-110]'"));
        return replayed(page).flatMap(step -> Stream.of(usedUp, step));
    }

    @TestFactory
    Stream<DynamicTest> headersAndBody() {
        Clients clients = startShop(
                "limiter.rules.orders.paths=/api/orders/**",
                "limiter.rules.orders.key=ip",
                "limiter.rules.orders.limits.burst.limit=10",
                "limiter.rules.orders.limits.burst.window=2m",
                "limiter.rules.orders.limits.hourly.limit=1000",
                "limiter.rules.orders.limits.hourly.window=1h");
        for (int i = 0; i < 10; i++) {
            assertThat(clients.get("/api/orders/42").statusCode()).isEqualTo(200);
        }
        return replayed(Manual.page("reference/headers-and-body.md"));
    }

    @TestFactory
    Stream<DynamicTest> operations() {
        startSample("8080", "redis");
        transcript.run("for i in {1..25}; do curl -s -X POST 'localhost:8080/login?user=ann&password=coffee'; done");
        return PAGES.stream()
                .filter(page -> page.startsWith(Manual.page("operations")))
                .flatMap(this::replayed);
    }

    @Test
    void sourcesOfASettingAreThoseOfThePage(@TempDir Path folder) throws IOException {
        Path file = Files.writeString(
                folder.resolve("rules.yml"), "limiter:\n  rules:\n    reports:\n      limit: 30\n      window: 1m\n");
        Clients clients =
                startShop("shop.reports=true", "limiter.rules-file=" + file, "limiter.rules.reports.limit=20");
        for (int limit : new int[] {41, 42, 43, 44}) {
            clients.post("/actuator/limiter/reports", "{\"limit\":" + limit + "}");
        }
        clients.post("/actuator/limiter/reports", "{\"limit\":40,\"reason\":\"ticket 7\"}");

        Map<?, ?> sources = (Map<?, ?>)
                Transcript.json(clients.get("/actuator/limiter/reports").body()).get("sources");
        assertThat(withoutPlaces(Map.of("limit", sources.get("limit"), "window", sources.get("window"))))
                .isEqualTo(withoutPlaces(shownJson("\"from\"")));
    }

    /** Removes the location of the configuration, which differs from the page. */
    private static String withoutPlaces(Map<String, ?> sources) {
        return new TreeMap<>(sources)
                .toString()
                .replaceAll("value=20, from=limiter.rules.reports.limit [^}]*", "value=20");
    }

    @Test
    void textsOfThePageAreUsed() {
        Clients clients = start("8080", HelloController.class, Texts.class);
        for (int i = 0; i < 3; i++) {
            clients.get("/hello");
        }
        assertThat(Transcript.json(
                        clients.get("/hello", "Accept-Language", "de").body()))
                .containsEntry("title", "Zu viele Anfragen")
                .containsEntry("detail", "hello ist erschöpft; in 20 s geht es weiter.");
        for (int i = 0; i < 30; i++) {
            clients.send("POST", "/login?user=ann&password=coffee");
        }
        assertThat(Transcript.json(clients.send("POST", "/login?user=ann&password=tea", "Accept-Language", "de")
                        .body()))
                .containsEntry("title", "Zu viele Versuche")
                .hasEntrySatisfying(
                        "detail",
                        detail -> assertThat(detail)
                                .asString()
                                .matches("login wurde zu oft überschritten; in (900|8\\d\\d) s geht es weiter."));
    }

    private static Map<String, Object> shownJson(String word) {
        return Transcript.json(Manual.blocks("json")
                .filter(block -> block.text().contains(word))
                .findFirst()
                .orElseThrow()
                .text());
    }

    private Stream<DynamicTest> replayed(Path page) {
        return Manual.blocks(page).stream().flatMap(block -> switch (block.language()) {
            case "console" ->
                Transcript.steps(block).stream()
                        .map(step -> DynamicTest.dynamicTest(block + ": " + step.command(), () -> replay(step)));
            case "shell" ->
                block.lines().stream()
                        .filter(command -> START.matcher(command).matches())
                        .map(command -> DynamicTest.dynamicTest(
                                block + ": " + command, () -> replay(new Step(command, List.of()))));
            default -> Stream.<DynamicTest>of();
        });
    }

    private void replay(Step step) {
        Matcher start = START.matcher(step.command());
        if (!start.matches()) {
            transcript.replay(step);
        } else if (!servers.containsKey("localhost:8080") || start.group(1).contains("profiles")) {
            Matcher profile = PROFILE.matcher(start.group(1));
            Matcher port = PORT.matcher(start.group(1));
            startSample(port.find() ? port.group(1) : "8080", profile.find() ? profile.group(1) : "");
        }
    }

    private void startSample(String port, String profile) {
        if (profile.isEmpty()) {
            start(port);
            return;
        }
        RedisServer redis = RedisServer.shared();
        run(
                port,
                new SpringApplicationBuilder(SampleApplication.class, Clock.class).profiles(profile),
                redis.property(),
                "limiter.redis.timeout=5s",
                "management.endpoint.health.show-details=always");
    }

    private Clients start(String port, Class<?>... more) {
        return clientsOf(run(port, new SpringApplicationBuilder(SampleApplication.class, Clock.class).sources(more)));
    }

    private Clients startShop(String... properties) {
        return startShop(List.of(), properties);
    }

    private Clients startShop(List<Class<?>> more, String... properties) {
        return clientsOf(run(
                "8080",
                new SpringApplicationBuilder(Shop.class, Clock.class)
                        .sources(more.toArray(Class<?>[]::new))
                        .properties("spring.config.location=optional:classpath:/none/"),
                Stream.concat(
                                Stream.of(properties),
                                Stream.of(
                                        "clock.slower=100",
                                        "management.endpoints.web.exposure.include=limiter",
                                        "management.endpoint.limiter.access=unrestricted"))
                        .toArray(String[]::new)));
    }

    private ConfigurableApplicationContext run(String port, SpringApplicationBuilder application, String... options) {
        ConfigurableApplicationContext context =
                application.run(Stream.concat(Stream.of("server.port=0"), Stream.of(options))
                        .map(option -> "--" + option)
                        .toArray(String[]::new));
        started.add(context);
        servers.put("localhost:" + port, "localhost:" + clientsOf(context).port());
        return context;
    }

    private static Clients clientsOf(ConfigurableApplicationContext context) {
        return new Clients(context.getEnvironment().getRequiredProperty("local.server.port", Integer.class));
    }

    /**
     * A clock that starts when the transcripts were recorded, so calendar windows end at the same time. If no request
     * waits, it runs slowly, so that no permits come back on a slow machine.
     */
    @Configuration(proxyBeanMethods = false)
    static class Clock {

        @Bean
        TimeSource time(@Value("${clock.slower:1}") int slower) {
            long begin = TimeUnit.SECONDS.toNanos(
                    Instant.parse("2026-11-23T12:56:00Z").getEpochSecond());
            long started = System.nanoTime();
            return () -> begin + (System.nanoTime() - started) / slower;
        }

        /** Starts nothing before the storage decides. */
        @Bean
        ApplicationRunner storage(RateLimiters limiters) {
            Rule any = Rule.of("any", Limit.tokenBucket(1, Duration.ofSeconds(1)));
            return arguments -> Conditions.await(
                    () -> limiters.tryAcquire(any, "any").onFailure().isEmpty());
        }
    }

    /** The German texts that the page shows. */
    @Configuration(proxyBeanMethods = false)
    static class Texts {

        @Bean
        MessageSource messageSource() throws IOException {
            Properties texts = new Properties();
            texts.load(new StringReader(
                    Manual.blocks("properties").findFirst().orElseThrow().text()));
            StaticMessageSource messages = new StaticMessageSource();
            texts.forEach((code, text) -> messages.addMessage((String) code, Locale.GERMAN, (String) text));
            return messages;
        }
    }
}
