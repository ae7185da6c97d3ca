package dev.limiter.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.spring.annotation.RateLimiter;
import dev.limiter.spring.rule.RuleDefinition;
import dev.limiter.spring.rule.RuleSource;
import dev.limiter.testkit.Clients;
import dev.limiter.testkit.Conditions;
import dev.limiter.testkit.Ports;
import dev.limiter.testkit.RedisServer;
import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.openqa.selenium.Keys;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configuration.EnableWebSecurity;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** Tests the page by keyboard in a browser, on the sample under load. Skipped without Chromium. */
@Tag("long")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class DashboardBrowserTests {

    private Browser browser;
    private Dashboards sample;
    private Clients clients;

    @BeforeAll
    void start() {
        browser = new Browser();
        sample = Dashboards.start(
                0,
                Hostile.class,
                "--limiter.rules.tried.paths=/candidates",
                "--limiter.rules.tried.limit=50",
                "--limiter.rules.tried.window=1h",
                "--limiter.rules.tried.candidate.limit=1");
        clients = sample.clients();
    }

    @AfterAll
    void stop() {
        if (sample != null) {
            sample.close();
        }
        if (browser != null) {
            browser.close();
        }
    }

    @BeforeEach
    void open() {
        browser.open(sample.page());
        browser.awaitText("#status", "Live");
    }

    @AfterEach
    void nothingIsWrongInTheConsole() {
        assertThat(browser.errors()).isEmpty();
    }

    private static String card(String rule) {
        return "article[aria-label='" + rule + "'] ";
    }

    private long sum(String rule, String outcome) {
        return Long.parseLong(browser.text(card(rule) + "." + outcome + " .sum").replaceFirst(" .*", ""));
    }

    /** Shows only the card of this rule, with its actions open. */
    private void openOnly(String rule) {
        browser.fill("Search", rule);
        Conditions.await(() -> browser.holds("document.querySelectorAll('article').length === 1"));
        browser.push("Details and changes");
        Conditions.await(() -> browser.has("article form"));
    }

    private int status(String path, String... headers) {
        return clients.get(path, headers).statusCode();
    }

    private String rule(String name) {
        return clients.get("/actuator/limiter/" + name).body();
    }

    @Test
    void countsWhatIsSent() {
        for (int i = 0; i < 150; i++) {
            status("/reports/monday");
        }
        browser.awaitText(card("reports"), "permitted 100, rejected 50");
        assertThat(sum("reports", "permitted")).isEqualTo(100);
        assertThat(sum("reports", "rejected")).isEqualTo(50);
        for (String outcome : List.of("permitted", "rejected")) {
            assertThat(browser.evaluate("document.querySelector(\"" + card("reports") + "path." + outcome
                                    + "\").getAttribute('d')")
                            .toString())
                    .startsWith("M");
        }
    }

    @Test
    void showsAndChangesLimitsOnWebFlux() {
        try (Dashboards reactive = Dashboards.start(0, Hostile.class, "--spring.main.web-application-type=reactive")) {
            browser.open(reactive.page());
            browser.awaitText("#status", "Live");
            for (int i = 0; i < 150; i++) {
                reactive.clients().get("/reports/monday");
            }
            browser.awaitText(card("reports"), "permitted 100, rejected 50");
            openOnly("catalog");
            browser.fill("Limit", "1");
            browser.press(Keys.ENTER);
            browser.awaitText(card("catalog") + "ul", "1 per 1h");
            assertThat(reactive.clients().get("/catalog", "X-Api-Key", "a").statusCode())
                    .isEqualTo(200);
            assertThat(reactive.clients().get("/catalog", "X-Api-Key", "a").statusCode())
                    .isEqualTo(429);
        }
    }

    @Test
    void rateIsThatOfTheLastFiveSecondsHoweverLongNothingHappened() {
        assertThat(browser.evaluate("""
                        import('/limiter/history.js').then(({ history }) => {
                            const counts = history();
                            const add = (at, permitted) => counts.add({ at, permitted, rejected: 0, waiting: 0 });
                            [0, 1000, 100000].forEach((at) => add(at, 7));
                            add(101000, 17);
                            return [counts.rate('permitted'), ...counts.intervals().map((each) => each.permitted)].join();
                        })""")).isEqualTo("2,0,10");
    }

    @Test
    void changesTheLimitThatClientsMeetAndRevertsIt() {
        assertThat(status("/catalog", "X-Api-Key", "a")).isEqualTo(200);
        openOnly("catalog");
        browser.fill("Reason, for the audit log", "<b>too many</b>");
        browser.fill("Limit", "1");
        browser.press(Keys.ENTER);
        browser.awaitText(card("catalog") + "ul", "1 per 1h");
        browser.awaitText(card("catalog") + ".state", "limit 1, because <b>too many</b>");
        assertThat(status("/catalog", "X-Api-Key", "a")).isEqualTo(429);

        browser.open(sample.page());
        browser.awaitText("#status", "Live");
        openOnly("catalog");
        browser.push("Revert to configuration");
        browser.awaitText(card("catalog") + "ul", "10 per 1h");
        assertThat(status("/catalog", "X-Api-Key", "a")).isEqualTo(200);
    }

    @Test
    void switchesToShadowAndBack() {
        openOnly("payments");
        browser.tabTo("Mode");
        browser.press("s");
        browser.push("Set mode");
        browser.awaitText(card("payments") + ".badge", "shadow");
        assertThat(rule("payments")).contains("\"mode\":\"shadow\"");
        browser.push("Revert to configuration");
        browser.awaitText(card("payments") + ".badge", "enforce");
        assertThat(rule("payments")).contains("\"mode\":\"enforce\"", "\"changed\":false");
    }

    @Test
    void steersOneKey() {
        openOnly("login");
        browser.fill("Key, or its hash", "192.0.2.7");
        browser.push("Show");
        browser.awaitText(card("login") + ".answer", "5 of 5 left");
        browser.fill("Own limit", "77");
        browser.push("Set own limit");
        browser.awaitText(card("login") + ".answer", "77 of 77 left");
        browser.push("Remove own limit");
        browser.awaitText(card("login") + ".answer", "5 of 5 left");
        browser.push("Ban");
        browser.awaitText(card("login") + ".answer", "Banned for");
        browser.push("Reset and unban");
        browser.awaitText(card("login") + ".answer", "Nothing is stored for this key");
        browser.push("Show sources");
        browser.awaitText(card("login") + ".answer", "limiter.rules.login.limit");
    }

    @Test
    void suggestsALimitFromTheDemandThatIsRecorded() {
        openOnly("quotes");
        browser.push("Suggest a limit");
        browser.awaitText("#notice", "No demand has been recorded");
        browser.push("Record demand");
        browser.awaitText("#status", "Recording demand");
        for (int i = 0; i < 3; i++) {
            status("/quotes");
        }
        browser.push("Suggest a limit");
        browser.awaitText(card("quotes") + ".answer", "limit 3 per 1h, from 3 requests of 1 keys");
        browser.push("Stop recording");
        browser.awaitText("#status", "Stopped recording");
    }

    @Test
    void showsWhatIsLeftAndWhoHoldsPermits() {
        status("/stock/available");
        openOnly("StockService.available");
        browser.awaitText("article .state", "2 of 3 left");
        Thread client = new Thread(() -> {
            while (!Thread.currentThread().isInterrupted()) {
                status("/export?seconds=10");
            }
        });
        client.start();
        try {
            openOnly("OrderController.export");
            browser.awaitText("article .state", "1 of 2 left");
            browser.awaitText("article .state", "Held now: 1 permit by 1 request");
            browser.awaitText("article .state", "OrderController.export");
        } finally {
            client.interrupt();
        }
    }

    @Test
    void showsTheResourcesOfARule() {
        status("/orders/1");
        status("/automatic");
        openOnly("default");
        browser.awaitText(card("default") + ".state", "GET /orders/{id}");
        browser.awaitText(card("default") + ".state", "GET /automatic");
    }

    @Test
    void leadsToWhoIsRejectedMost() {
        for (int i = 0; i < 12; i++) {
            status("/catalog", "X-Api-Key", "greedy");
        }
        String button =
                "[...document.querySelectorAll('#rejected li')].filter(each => each.textContent.startsWith('catalog'))"
                        + ".map(each => each.querySelector('button').textContent)[0]";
        Conditions.await(() -> browser.evaluate(button) != null);
        browser.push(browser.evaluate(button).toString());
        browser.awaitText("article .answer", "0 of 10 left");
    }

    @Test
    void comparesACandidateWithTheRule() {
        status("/candidates");
        status("/candidates");
        status("/candidates");
        browser.awaitText(
                card("tried") + ".candidate", "it would have rejected 2 of 3 requests; this rule rejected 0.");
    }

    @Test
    void explainsARequest() {
        browser.fill("Path", "/reports/friday");
        browser.push("Explain");
        browser.awaitText("#explanation", "GET /reports/{day}");
        browser.awaitText("#explanation", "reports:");
    }

    @Test
    void showsTheOneWhoIsLateThatAnotherWasFaster() {
        openOnly("checkout");
        browser.fill("Limit", "7");
        clients.post("/actuator/limiter/checkout", "{\"limit\": 55}");
        browser.press(Keys.ENTER);
        browser.awaitText("#notice", "another operator changed the rules first");
        assertThat(browser.evaluate("document.activeElement.value")).isEqualTo("7");
        browser.awaitText(card("checkout") + "ul", "55 per 1h");
        browser.press(Keys.ENTER);
        browser.awaitText(card("checkout") + "ul", "7 per 1h");
    }

    @Test
    void escapesWhatOthersName() {
        status("/hostile");
        status("/hostile");
        browser.fill("Search", "onerror");
        browser.awaitText("article h3", Hostile.NAME);
        openOnly(Hostile.NAME.substring(0, 4));
        browser.fill("Key, or its hash", "<b>\"'" + "k".repeat(200));
        browser.push("Show");
        Conditions.await(() -> browser.holds("!document.getElementById('notice').hidden"));
        assertThat(browser.holds("document.querySelectorAll('main img, main b, main script').length === 0"))
                .isTrue();
        assertThat(browser.evaluate("window.hostile")).isNull();
        assertThat(browser.holds("document.documentElement.scrollWidth > innerWidth"))
                .isFalse();
    }

    @Test
    void saysThatTheServerIsGoneAndGoesOnWhenItIsBack() {
        int port = Ports.free();
        try (Dashboards mortal = Dashboards.start(port, Hostile.class)) {
            browser.open(mortal.page());
            browser.awaitText("#status", "Live");
            mortal.clients().get("/quotes");
            Conditions.await(() -> browser.has(card("quotes")) && sum("quotes", "permitted") == 1);
        }
        browser.awaitText("#status", "No response from the server");
        try (Dashboards reborn = Dashboards.start(port, Hostile.class)) {
            browser.awaitText("#status", "Live");
            reborn.clients().get("/quotes");
            reborn.clients().get("/quotes");
            Conditions.await(() -> browser.has(card("quotes")) && sum("quotes", "permitted") == 2);
            browser.awaitText("#all .permitted .sum", "2 in 5 min");
        }
    }

    @Test
    void saysThatTheSessionIsOverAndGoesOnWhenThereIsOne() {
        try (Dashboards form = Dashboards.start(0, Form.class)) {
            browser.open(form.page());
            browser.awaitText("#status", "Live");
            Form.over = true;
            browser.awaitText("#status", "Your session has expired");
            browser.fill("Path", "/reports/friday");
            browser.push("Explain");
            browser.awaitText("#notice", "Your session has expired: log in again.");
            Form.over = false;
            browser.awaitText("#status", "Live");
            assertThat(Form.followed).isFalse();
        } finally {
            Form.over = false;
        }
    }

    /** {@code SecuredDashboardTests} cover the other ways in which Spring Security accepts its token. */
    @Test
    void changesALimitBehindSpringSecurity() {
        try (Dashboards secured = Dashboards.start(0, Protected.class)) {
            browser.open(secured.page());
            browser.awaitText("#status", "Live");
            openOnly("catalog");
            browser.fill("Limit", "7");
            browser.press(Keys.ENTER);
            browser.awaitText("article ul", "7 per 1h");
            browser.push("Revert to configuration");
            browser.awaitText("article ul", "10 per 1h");
        }
    }

    @Test
    void showsTheTwentyOfTwoThousandWithTheMostTraffic() {
        try (Dashboards large = Dashboards.start(0, Many.class)) {
            browser.open(large.page());
            browser.awaitText("#shown", "Showing 20 of 20");
            assertThat(browser.evaluate("document.querySelectorAll('article').length"))
                    .isEqualTo(20L);
            // more than the page itself, which the default limit charges
            for (int i = 0; i < 9; i++) {
                large.clients().get("/quotes/1234");
                large.clients().get("/quotes/" + (i < 2 ? 1234 : 777));
            }
            Conditions.await(() -> browser.text("article h3").equals("quote-1234"));
            browser.awaitText("article:nth-of-type(2) h3", "quote-777");
            browser.fill("Search", "quote-1999");
            browser.awaitText("#shown", "Showing 1 of 1");
            browser.awaitText("article h3", "quote-1999");
            browser.fill("Search", "quote-1");
            browser.awaitText("#shown", "Showing 20 of 1111");
            browser.push("Show 20 more");
            Conditions.await(() -> browser.holds("document.querySelectorAll('article').length === 40"));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"light", "dark"})
    void hasNoBarriersAndFitsAPhone(String scheme) {
        status("/hostile");
        browser.prefer(scheme);
        browser.open(sample.page());
        openOnly("catalog");
        browser.push("Show sources");
        browser.awaitText(card("catalog") + ".answer", "limiter.rules.catalog.limit");
        assertThat(browser.barriers()).isEmpty();
        browser.resize(390, 844);
        assertThat(browser.holds("document.documentElement.scrollWidth > innerWidth"))
                .isFalse();
        browser.resize(1280, 900);
    }

    /** Prevents clickjacking: another site could show the page invisibly in a frame. */
    @Test
    void doesNotRunInAFrameOfAnotherPage() {
        browser.open(sample.page().replace("/limiter/", "/automatic"));
        browser.evaluate("document.body.appendChild(Object.assign(document.createElement('iframe'),"
                + " { src: '/limiter/', onload: () => { window.loaded = true; } }))");
        Conditions.await(() -> browser.holds("window.loaded"));
        assertThat(browser.holds("frames[0].document.querySelector('h1').textContent === 'Limiter'"))
                .isTrue();
        assertThat(browser.holds("frames[0].document.querySelector('.chart') === null"))
                .isTrue();
        assertThat(browser.errors()).singleElement().asString().contains("must not be embedded");
    }

    @Test
    void saysWhenRedisIsUnavailable() {
        try (RedisServer redis = RedisServer.started();
                Dashboards shared =
                        Dashboards.start(0, Hostile.class, "--spring.profiles.active=redis", "--" + redis.property())) {
            browser.open(shared.page());
            browser.awaitText("#status", "storage redis");
            browser.awaitText("#status", "1 instance");
            redis.kill();
            shared.clients().get("/quotes");
            browser.awaitText("#status", "unavailable, rules use on-failure");
        }
    }

    @RestController
    static class Hostile {

        static final String NAME =
                "<img src=x onerror=\"window.hostile=1\">'&amp;</article><script>window.hostile=1</script>";

        @GetMapping("/hostile")
        @RateLimiter(name = NAME, limit = 1)
        String named() {
            return "ok";
        }

        @GetMapping("/automatic")
        String automatic() {
            return "ok";
        }

        @GetMapping("/candidates")
        String tried() {
            return "ok";
        }
    }

    /** Redirects requests without a session to a form, as Spring Security does. */
    @Configuration(proxyBeanMethods = false)
    static class Form {

        static volatile boolean over;
        static volatile boolean followed;

        @Bean
        Filter session() {
            return (request, answer, next) -> {
                HttpServletRequest asked = (HttpServletRequest) request;
                followed |= asked.getRequestURI().equals("/form") && asked.getHeader("X-Requested-With") != null;
                if (over && !asked.getRequestURI().equals("/form")) {
                    ((HttpServletResponse) answer).sendRedirect("/form");
                } else {
                    next.doFilter(request, answer);
                }
            };
        }
    }

    @RestController
    static class Many {

        @GetMapping("/quotes/{number}")
        String quote() {
            return "ok";
        }

        @Bean
        RuleSource quotes() {
            List<RuleDefinition> rules = IntStream.range(0, 2000)
                    .mapToObj(i -> RuleDefinition.named("quote-" + i)
                            .paths("/quotes/" + i)
                            .limit(100, "1h"))
                    .toList();
            return () -> rules;
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableWebSecurity
    static class Protected {

        @Bean
        SecurityFilterChain everybody(HttpSecurity http) {
            return http.csrf(csrf -> csrf.spa())
                    .authorizeHttpRequests(requests -> requests.anyRequest().permitAll())
                    .build();
        }
    }
}
