package dev.limiter.dashboard;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.limiter.testkit.Conditions;
import dev.limiter.testkit.Programs;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.logging.Level;
import org.openqa.selenium.By;
import org.openqa.selenium.Keys;
import org.openqa.selenium.OutputType;
import org.openqa.selenium.StaleElementReferenceException;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.interactions.Actions;
import org.openqa.selenium.logging.LogEntry;
import org.openqa.selenium.logging.LogType;

/** A headless Chromium. */
final class Browser implements AutoCloseable {

    private static final int MOST_TABS = 300;

    private static final String AXE = axe();

    private final ChromeDriver driver;

    /** @throws org.opentest4j.TestAbortedException if the machine has no Chromium or no driver: then the test is skipped */
    Browser() {
        ChromeOptions options = new ChromeOptions();
        options.setBinary(Programs.onPath("chromium"));
        options.addArguments(
                "--headless=new",
                "--no-sandbox",
                "--disable-dev-shm-usage",
                "--disable-gpu",
                "--hide-scrollbars",
                "--no-first-run",
                "--disable-background-networking",
                "--disable-component-update",
                "--disable-sync");
        options.setCapability("goog:loggingPrefs", Map.of(LogType.BROWSER, "ALL"));
        File program = new File(Programs.onPath("chromedriver"));
        driver = new ChromeDriver(
                new ChromeDriverService.Builder()
                        .usingDriverExecutable(program)
                        .usingAnyFreePort()
                        .build(),
                options);
        driver.manage().timeouts().scriptTimeout(Duration.ofMinutes(4));
    }

    private static String axe() {
        try (InputStream script = Browser.class.getResourceAsStream("/axe.min.js")) {
            return new String(Objects.requireNonNull(script).readAllBytes(), UTF_8);
        } catch (IOException exception) {
            throw new UncheckedIOException(exception);
        }
    }

    void open(String address) {
        driver.get(address);
    }

    /** Sets the size in CSS pixels. */
    void resize(int width, int height) {
        driver.executeCdpCommand(
                "Emulation.setDeviceMetricsOverride",
                Map.of("width", width, "height", height, "deviceScaleFactor", 1, "mobile", false));
    }

    /** Returns a screenshot as PNG. */
    byte[] picture() {
        return driver.getScreenshotAs(OutputType.BYTES);
    }

    /** {@code scheme}: light or dark. */
    void prefer(String scheme) {
        driver.executeCdpCommand(
                "Emulation.setEmulatedMedia",
                Map.of("features", List.of(Map.of("name", "prefers-color-scheme", "value", scheme))));
    }

    /** Returns the value of a JavaScript expression in the page. */
    Object evaluate(String expression) {
        return driver.executeScript("return " + expression);
    }

    /** Returns the accessibility findings of axe, each as its rule and the elements. */
    List<?> barriers() {
        Object unused = driver.executeScript(AXE);
        return (List<?>) Objects.requireNonNull(driver.executeAsyncScript("""
                const done = arguments[arguments.length - 1];
                axe.run().then(({ violations }) => done(violations.map((each) =>
                    each.id + ': ' + each.nodes.map((node) => node.html).slice(0, 3).join(' '))), (error) => done([String(error)]));
                """));
    }

    boolean holds(String expression) {
        return Boolean.TRUE.equals(evaluate(expression));
    }

    String text(String selector) {
        return Objects.requireNonNull(
                driver.findElement(By.cssSelector(selector)).getDomProperty("textContent"));
    }

    void awaitText(String selector, String part) {
        try {
            Conditions.await(() -> has(selector) && text(selector).contains(part));
        } catch (AssertionError late) {
            throw new AssertionError(
                    selector + " is \"" + (has(selector) ? text(selector) : "absent") + "\", not \"" + part
                            + "\"; the page says \"" + text("#status") + ' ' + text("#notice") + "\", the focus is on "
                            + focused(),
                    late);
        }
    }

    boolean has(String selector) {
        return !driver.findElements(By.cssSelector(selector)).isEmpty();
    }

    /** Sends keys to the focused element. */
    void press(CharSequence... keys) {
        new Actions(driver).sendKeys(keys).perform();
    }

    /** Presses Tab until an element with this accessible name has the focus. */
    void tabTo(String name) {
        StringBuilder passed = new StringBuilder();
        for (int i = 0; i < MOST_TABS; i++) {
            press(Keys.TAB);
            String focused = focused();
            if (focused.equals(name)) {
                return;
            }
            passed.append(focused).append(", ");
        }
        throw new AssertionError("There is no " + name + " among " + passed);
    }

    /** Returns the accessible name of the focused element. */
    String focused() {
        try {
            WebElement element = driver.switchTo().activeElement();
            return element.getTagName().equals("body") ? "" : element.getAccessibleName();
        } catch (StaleElementReferenceException replaced) {
            return "";
        }
    }

    /** Scrolls the first such element to the top of the window. */
    void scrollTo(String selector) {
        Object unused = driver.executeScript("document.querySelector(arguments[0]).scrollIntoView()", selector);
    }

    /** Replaces the text of the field with this name, and keeps the focus there. */
    void fill(String name, String text) {
        tabTo(name);
        new Actions(driver)
                .keyDown(Keys.CONTROL)
                .sendKeys("a")
                .keyUp(Keys.CONTROL)
                .sendKeys(Keys.DELETE, text)
                .perform();
    }

    /** Presses the button with this name. */
    void push(String name) {
        tabTo(name);
        press(Keys.ENTER);
    }

    /** Returns the console errors since the last call, except those of failed requests. */
    List<String> errors() {
        return driver.manage().logs().get(LogType.BROWSER).getAll().stream()
                .filter(entry -> entry.getLevel().intValue() >= Level.WARNING.intValue())
                .map(LogEntry::getMessage)
                .filter(message -> !message.contains("Failed to load resource"))
                .toList();
    }

    @Override
    public void close() {
        driver.quit();
    }
}
