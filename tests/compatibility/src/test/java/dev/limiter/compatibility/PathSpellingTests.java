package dev.limiter.compatibility;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.limiter.RateLimiters;
import dev.limiter.spring.compile.RateLimitRule;
import dev.limiter.spring.compile.Rules;
import dev.limiter.test.VirtualTimeSource;
import dev.limiter.testkit.RawClient;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.web.servlet.ServletRegistrationBean;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.core.io.ClassPathResource;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/** No spelling of a URL avoids a rule, in either phase. */
@Tag("each-line")
class PathSpellingTests {

    private static final Map<Variant, ConfigurableApplicationContext> RUNNING = new EnumMap<>(Variant.class);

    enum Variant {
        ALONE("", ""),
        IN_CONTEXT("/shop", ""),
        OF_SERVLET("/shop", "/mvc");

        private final String context;
        private final String servlet;

        Variant(String context, String servlet) {
            this.context = context;
            this.servlet = servlet;
        }

        /**
         * Starts with a rule of each phase for each path, and without Spring Security, which might otherwise block what
         * avoids a limit.
         */
        ConfigurableApplicationContext start() {
            String[] rules = Applications.limiter(
                    """
                    web: { exclude: /error }
                    rules:
                      literal: &endpoint { paths: /literal, limit: 1000000, window: 1h }
                      wild: { <<: *endpoint, paths: /wild/** }
                      special: { <<: *endpoint, paths: /orders/special }
                      file: { <<: *endpoint, paths: /file.txt }
                      literal-early: &request { paths: /literal, phase: request, limit: 1000000, window: 1h }
                      wild-early: { <<: *request, paths: /wild/** }
                      special-early: { <<: *request, paths: /orders/special }
                      file-early: { <<: *request, paths: /file.txt }
                      plain-early: { <<: *request, paths: /plain/** }
                    """,
                    "server.servlet.context-path=" + context,
                    "spring.mvc.servlet.path=" + (servlet.isEmpty() ? "/" : servlet),
                    Applications.WITHOUT_SECURITY,
                    "server.tomcat.relaxed-path-chars=|,[,],^");
            return Applications.start(Application.class, rules);
        }
    }

    /** One line of paths.txt. */
    record Spelling(String expected, String method, String target) {

        static Spelling parse(String line) {
            String[] columns = line.split(" +");
            return new Spelling(columns[0], columns[1], columns[2]);
        }

        String targetIn(Variant variant) {
            return bytes(target.replace("@/", variant.context + "/")
                    .replaceFirst("^([^~?]*)~", "$1" + variant.context + variant.servlet));
        }

        @Override
        public String toString() {
            return method + " " + target;
        }
    }

    static Stream<Arguments> spellingsInEachVariant() throws IOException {
        List<Spelling> spellings = new ClassPathResource("paths.txt")
                .getContentAsString(US_ASCII)
                .lines()
                .filter(line -> !line.isEmpty() && !line.startsWith("#"))
                .map(Spelling::parse)
                .toList();
        assertThat(spellings).hasSizeGreaterThan(120);
        return Stream.of(Variant.values())
                .flatMap(variant -> spellings.stream().map(spelling -> arguments(variant, spelling)));
    }

    @ParameterizedTest(name = "{0} {1}")
    @MethodSource("spellingsInEachVariant")
    void landsInItsBucketOrIsNotServed(Variant variant, Spelling spelling) throws Exception {
        ConfigurableApplicationContext application = RUNNING.computeIfAbsent(variant, Variant::start);
        RawClient client =
                new RawClient(application.getEnvironment().getRequiredProperty("local.server.port", Integer.class));
        Map<String, Long> before = remaining(application);

        RawClient.Answer answer = client.send(spelling.method(), spelling.targetIn(variant));

        Map<String, Long> charged = remaining(application);
        charged.replaceAll((rule, remaining) -> before.get(rule) - remaining);
        assertThat(charged.values()).as("charged %s", charged).allMatch(permits -> permits == 0 || permits == 1);
        charged.values().removeIf(permits -> permits == 0);
        assertResponse(spelling, answer, charged.keySet());
    }

    private static void assertResponse(Spelling spelling, RawClient.Answer answer, Set<String> charged) {
        switch (spelling.expected()) {
            case "not-served" -> assertThat(answer.status()).isBetween(300, 499);
            case "other" -> {
                assertThat(answer.status()).isEqualTo(200);
                assertThat(answer.body()).isIn("other", "");
                assertThat(charged).isEmpty();
            }
            case "literal?", "wild?", "plain?" -> {
                if (answer.status() == 200) {
                    assertServed(spelling.expected().replace("?", ""), spelling, answer, charged);
                }
            }
            default -> {
                assertThat(answer.status()).isEqualTo(200);
                assertServed(spelling.expected(), spelling, answer, charged);
            }
        }
    }

    private static void assertServed(String rule, Spelling spelling, RawClient.Answer answer, Set<String> charged) {
        // Spring itself responds to OPTIONS
        boolean body = !List.of("HEAD", "OPTIONS").contains(spelling.method());
        assertThat(answer.body().strip()).isEqualTo(!body ? "" : rule.equals("file") ? "a static file" : rule);
        // a servlet of its own is no endpoint of Spring
        assertThat(charged).isEqualTo(rule.equals("plain") ? Set.of("plain-early") : Set.of(rule, rule + "-early"));
    }

    private static Map<String, Long> remaining(ConfigurableApplicationContext application) {
        RateLimiters limiters = application.getBean(RateLimiters.class);
        Map<String, Long> remaining = new TreeMap<>();
        for (RateLimitRule rule : application.getBean(Rules.class).current().rules()) {
            remaining.put(rule.name(), limiters.peek(rule.rule(), "").remaining());
        }
        return remaining;
    }

    /** Replaces escapes such as \\x00 by bytes. */
    private static String bytes(String text) {
        return Pattern.compile("\\\\x([0-9a-f]{2})")
                .matcher(text)
                .replaceAll(
                        number -> Matcher.quoteReplacement(Character.toString(Integer.parseInt(number.group(1), 16))));
    }

    @AfterAll
    static void stop() {
        RUNNING.values().forEach(ConfigurableApplicationContext::close);
        RUNNING.clear();
    }

    @SpringBootConfiguration
    @EnableAutoConfiguration
    @Import({VirtualTimeSource.class, Endpoints.class})
    static class Application {

        @Bean
        ServletRegistrationBean<HttpServlet> plain() {
            HttpServlet servlet = new HttpServlet() {
                @Override
                protected void service(HttpServletRequest request, HttpServletResponse response) throws IOException {
                    response.getWriter().print("plain");
                }
            };
            return new ServletRegistrationBean<>(servlet, "/plain/*");
        }
    }

    @RestController
    static class Endpoints {

        @RequestMapping("/literal")
        String literal() {
            return "literal";
        }

        @RequestMapping({"/wild", "/wild/{id}", "/wild/deep/{*rest}"})
        String wild() {
            return "wild";
        }

        @RequestMapping("/orders/{id}")
        String order(@PathVariable("id") String id) {
            return id.equals("special") ? "special" : "other";
        }
    }
}
