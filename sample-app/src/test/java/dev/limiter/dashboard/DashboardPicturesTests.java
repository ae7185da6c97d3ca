package dev.limiter.dashboard;

import dev.limiter.testkit.Clients;
import dev.limiter.testkit.Load;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.openqa.selenium.Keys;
import org.springframework.context.annotation.Configuration;

/** Takes the pictures of {@code docs/guides/dashboard.md} in five minutes, with {@code -Dwrite.pictures=true}. */
@EnabledIfSystemProperty(named = "write.pictures", matches = "true")
class DashboardPicturesTests {

    private static final Path FOLDER = Path.of("../docs/guides/images");
    private static final int SECONDS = 299;

    @Test
    @Timeout(value = 10, unit = TimeUnit.MINUTES)
    void ofDesktopAndPhoneInLightAndDark() throws IOException, InterruptedException {
        Files.createDirectories(FOLDER);
        try (Browser browser = new Browser();
                Dashboards sample = Dashboards.start(
                        0,
                        Nothing.class,
                        "--limiter.web.default-limit.window=1m",
                        "--limiter.rules.catalog.limit=60",
                        "--limiter.rules.catalog.window=1m",
                        "--limiter.rules.catalog.candidate.limit=40",
                        "--limiter.rules.reports.limit=6",
                        "--limiter.rules.reports.window=1s")) {
            browser.open(sample.page());
            browser.awaitText("#status", "Live");
            fiveMinutes(sample);
            sample.clients().post("/actuator/limiter/catalog", "{\"limit\": 90, \"reason\": \"sale, until Monday\"}");
            for (String scheme : new String[] {"light", "dark"}) {
                browser.prefer(scheme);
                browser.resize(1100, 720);
                write(browser, "dashboard-" + scheme + ".png");
                browser.resize(390, 844);
                write(browser, "dashboard-phone-" + scheme + ".png");
            }
            browser.prefer("light");
            browser.resize(1100, 720);
            browser.fill("Search", "catalog");
            browser.tabTo("Details and changes");
            browser.press(Keys.ENTER);
            browser.awaitText("article .state", "left");
            browser.scrollTo("article");
            write(browser, "dashboard-rule.png");
        }
    }

    private static void write(Browser browser, String name) throws IOException {
        Files.write(FOLDER.resolve(name), browser.picture());
    }

    private static void fiveMinutes(Dashboards sample) throws InterruptedException {
        CountDownLatch seconds = new CountDownLatch(SECONDS);
        try (Load load = new Load()) {
            load.send(1, SECONDS, second -> {
                send(sample.clients(), second);
                seconds.countDown();
            });
            seconds.await();
        }
    }

    private static void send(Clients clients, int second) {
        double wave = 4 + 3 * Math.sin(second / 20.0);
        send(clients, "/reports/monday", wave);
        send(clients, "/search", wave / 4);
        send(clients, "/orders/" + second % 3, 1);
        for (int key = 0; key < 3; key++) {
            if (ThreadLocalRandom.current().nextInt(4) > 0) {
                clients.get("/catalog", "X-Api-Key", second % 50 < 25 ? "shop" : "app-" + key);
            }
        }
    }

    private static void send(Clients clients, String path, double times) {
        for (double i = ThreadLocalRandom.current().nextDouble(); i < times; i++) {
            clients.get(path);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Nothing {}
}
