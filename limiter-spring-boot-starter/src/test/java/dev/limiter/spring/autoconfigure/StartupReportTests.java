package dev.limiter.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.RateLimiters;
import dev.limiter.spring.Limiter;
import dev.limiter.spring.annotation.RateLimiter;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.web.servlet.WebMvcAutoConfiguration;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.servlet.config.annotation.ResourceHandlerRegistry;
import org.springframework.web.servlet.config.annotation.ViewControllerRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;
import org.springframework.web.servlet.function.RequestPredicates;
import org.springframework.web.servlet.function.RouterFunction;
import org.springframework.web.servlet.function.RouterFunctions;
import org.springframework.web.servlet.function.ServerResponse;

@ExtendWith(OutputCaptureExtension.class)
class StartupReportTests {

    private static final String REPORT = "maybe not as they are meant";

    private static final AutoConfigurations CHANGES = AutoConfigurations.of(LimiterChangesAutoConfiguration.class);

    private final WebApplicationContextRunner application = new WebApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(WebMvcAutoConfiguration.class))
            .withConfiguration(Limiter.autoConfigurations())
            .withUserConfiguration(Application.class);

    @Test
    void nothingLimitedIsFound(CapturedOutput output) {
        application.withConfiguration(CHANGES).run(context -> assertThat(context).hasNotFailed());

        assertThat(output).contains(REPORT, "limits nothing", "[LIM-922]").doesNotContain("Rate limits:");
    }

    @Test
    void limitsInCodeAreFine(CapturedOutput output) {
        application.withConfiguration(CHANGES).withBean(InCode.class).run(context -> assertThat(context).hasNotFailed());

        assertThat(output).doesNotContain(REPORT);
    }

    @ParameterizedTest
    @CsvSource({
        "limitter.rules.a.limit, limitter.rules, limiter.rules",
        "limter.storage, limter.storage, limiter.storage",
        "spring.limiter.rules.a.limit, spring.limiter.rules, limiter.rules",
        "spring.limiter.default-limit.limit, spring.limiter.default-limit, limiter.default-limit",
    })
    void propertiesBelowAMisspelledOrWrongRootAreFound(
            String property, String found, String meant, CapturedOutput output) {
        run(new String[] {property + "=1"});

        assertThat(output)
                .contains("[LIM-921]", "nothing reads this. Did you mean " + meant + "?")
                .containsPattern("- " + found.replace(".", "\\."));
    }

    @ParameterizedTest
    @ValueSource(strings = {"limits.daily", "rate-limiter.rules.a", "spring.limits", "management.endpoint.limiter.x"})
    void otherPropertiesAreFine(String property, CapturedOutput output) {
        run(new String[] {property + "=1"});

        assertThat(output).doesNotContain("LIM-921");
    }

    @ParameterizedTest
    @CsvSource({
        "/orders/**, endpoint,     , true, With max-wait: 1s they queue",
        "/orders/**, request,      , true, Set a limit above",
        "/orders/**, endpoint, 10ms, false, ''",
        "/orders/{id}, endpoint,   , false, ''",
    })
    void chargeIfOverManyPathsWithoutWaitingIsFound(
            String paths, String phase, String maxWait, boolean found, String advice, CapturedOutput output) {
        run(rule(
                "login",
                "paths=" + paths,
                "phase=" + phase,
                "key=ip",
                "limit=5",
                "window=1m",
                "charge-if=failed",
                maxWait == null ? null : "max-wait=" + maxWait));

        assertThat(output.toString().contains("[LIM-924]")).isEqualTo(found);
        assertThat(output).contains(advice);
    }

    @Test
    void oneLineSaysWhatIsLimited(CapturedOutput output) {
        application
                .withConfiguration(CHANGES)
                .withBean(Counted.class)
                .withPropertyValues(rule("fine", "paths=/orders/**", "key=ip", "limit=1", "window=1s"))
                .withPropertyValues(rule("fine", "candidate.limit=5"))
                .run(context -> assertThat(context).hasNotFailed());

        assertThat(output)
                .contains("INFO", "Rate limits: 2 rules, storage: memory")
                .doesNotContain(REPORT);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "/orders/**             | ",
                "/orders/{id}           | get",
                "/**                    | ",
                "/                      | ",
                "/order*/{id}           | ",
                "/eith*                 | ",
                "/limit*                | ",
                "/limit*/spring         | ",
                "/routed                | GET",
                "/nested/inner          | ",
                "/nested/hidden         | ",
                "/either                | ",
                "/assets/logo.svg       | ",
                "/view                  | ",
                "/limiter/**            | "
            })
    void pathsOfAnEndpointOrAFileAreFine(String paths, String methods, CapturedOutput output) {
        run(rule(
                "fine",
                "paths=" + paths,
                "key=ip",
                "limit=1",
                "window=1s",
                methods == null ? null : "methods=" + methods));

        assertThat(output).doesNotContain(REPORT);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "/ordrs/**      | ",
                "/orders/{id}   | POST",
                "/error         | ",
                "/no-such-files | ",
                "/orders/{id}/x*| ",
                "/actuator/**   | "
            })
    void pathsOfNoEndpointAreFound(String paths, String methods, CapturedOutput output) {
        run(rule("typo", "paths=" + paths, "limit=1", "window=1s", methods == null ? null : "methods=" + methods));

        assertThat(output)
                .contains("WARN", REPORT, "limiter.rules.typo.paths = " + paths + ": no endpoint", "Correct the paths");
    }

    @Test
    void aRuleThatIsOffIsNoConcern(CapturedOutput output) {
        run(rule("typo", "paths=/ordrs", "limit=1", "window=1s", "mode=off"));

        assertThat(output).doesNotContain(REPORT);
    }

    @Test
    void allIsOneMessage(CapturedOutput output) {
        application
                .withBean(Exports.class)
                .withPropertyValues(rule("typo", "paths=/ordrs", "limit=1", "window=1s"))
                .withPropertyValues(rule("lost", "limit=1", "window=1s"))
                .withPropertyValues(rule("exports", "limit=1", "window=1s"))
                .run(context -> assertThat(context).hasNotFailed());

        assertThat(output.toString().split(REPORT, -1)).hasSize(2);
        assertThat(output.toString().substring(output.toString().indexOf(REPORT)))
                .contains(
                        "\n  - limiter.rules.typo.paths",
                        "\n  - limiter.rules.typo: all clients share one bucket",
                        "\n  - Nothing uses the rule limiter.rules.lost",
                        "\n  - @RateLimiter on " + Exports.class.getName() + ".out()",
                        "calls of a final method")
                .doesNotContain("limiter.rules.exports");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"header:X-Api-Key", "principal|param:user", "ip, cookie:id", "#request.getHeader('X-Api-Key')"})
    void banByAKeyThatTheClientChoosesIsFound(String key, CapturedOutput output) {
        run(banBy(key));

        assertThat(output).contains("limiter.rules.banning.key = " + key + ": clients choose this freely");
    }

    @ParameterizedTest
    @ValueSource(strings = {"ip", "principal|ip", "session"})
    void banByAKeyThatTheClientDoesNotChooseIsFine(String key, CapturedOutput output) {
        run(banBy(key));

        assertThat(output).doesNotContain(REPORT);
    }

    private static String[] banBy(String key) {
        return rule(
                "banning",
                "paths=/orders/**",
                "limit=1",
                "window=1s",
                "key=" + key,
                "ban.after=3",
                "ban.within=1m",
                "ban.for=1m");
    }

    @Test
    void aRuleBeforeTheEndpointsMayBeAboutWhatNoneServes(CapturedOutput output) {
        run(rule("login", "paths=/login", "key=ip", "limit=1", "window=1s", "phase=request"));

        assertThat(output).doesNotContain(REPORT);
    }

    @Test
    void endpointsBelowThePathAreNamed(CapturedOutput output) {
        run(rule("items", "paths=/orders", "limit=1", "window=1s"));

        assertThat(output)
                .contains("LIM-901", "limiter.rules.items.paths = /orders: no endpoint")
                .contains("There is /orders/{id}, which /orders/** covers.");
    }

    @Test
    void oneWrongPathOfSeveralIsFound(CapturedOutput output) {
        run(rule("orders", "paths=/orders/**,/ordres/**", "limit=1", "window=1s"));

        assertThat(output)
                .contains("LIM-901", "limiter.rules.orders.paths = /ordres/**: no endpoint")
                .contains("only the other paths of the rule limit anything");
    }

    @ParameterizedTest
    @ValueSource(strings = {"/ordrs/*", "/ordrs/{id}/lines", "/ordrs/*/lines", "/orders/{id}/lins/*"})
    void wildcardsBehindASegmentThatNoEndpointHasAreFound(String paths, CapturedOutput output) {
        new WebApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(WebMvcAutoConfiguration.class))
                .withConfiguration(Limiter.autoConfigurations())
                .withUserConfiguration(Controller.class)
                .withPropertyValues(rule("orders", "paths=" + paths, "limit=1", "window=1s"))
                .run(context -> assertThat(context).hasNotFailed());

        assertThat(output).contains("LIM-901", "limiter.rules.orders.paths = " + paths + ": no endpoint");
    }

    @Test
    void pathsInAnotherCaseAreFoundWhereCaseCounts(CapturedOutput output) {
        run(rule("orders", "paths=/ORDERS/**", "limit=1", "window=1s"));

        assertThat(output).contains("LIM-901", "limiter.rules.orders.paths = /ORDERS/**: no endpoint");
    }

    @Test
    void pathsThatOnlyBeginLikeTheContextPathAreFine(CapturedOutput output) {
        application
                .withPropertyValues("server.servlet.context-path=/orders")
                .withPropertyValues(rule("orders", "paths=/orders/**", "key=ip", "limit=1", "window=1s"))
                .run(context -> assertThat(context).hasNotFailed());

        assertThat(output).doesNotContain(REPORT);
    }

    @Test
    void ruleWithPathsAndWithoutAKeyIsFound(CapturedOutput output) {
        run(rule("orders", "paths=/orders/**", "limit=1", "window=1s"));

        assertThat(output)
                .contains("limiter.rules.orders: all clients share one bucket, because the rule has no key. Set key: ip"
                        + " or key: principal|ip, or key: global if that is intended. [LIM-903]");
    }

    @Test
    void defaultLimitAndAnnotationsWithoutAKeyAreFine(CapturedOutput output) {
        application
                .withBean(Counted.class)
                .withPropertyValues("limiter.web.default-limit.limit=1", "limiter.web.default-limit.window=1s")
                .run(context -> assertThat(context).hasNotFailed());

        assertThat(output).doesNotContain(REPORT);
    }

    @Test
    void annotationThatARuleWithPathsSwallowsIsFound(CapturedOutput output) {
        application
                .withBean(Quoted.class)
                .withPropertyValues(rule("quota", "paths=/quoted", "limit=9", "window=1s"))
                .run(context -> assertThat(context).hasNotFailed());

        assertThat(output)
                .contains("LIM-909", Quoted.class.getName() + ".quoted: cost = \"5\", key = \"ip\" is not used")
                .contains("limiter.rules.quota has paths");
    }

    @ParameterizedTest
    @ValueSource(strings = {"paths=/orders/**", "key=session,cost=3,paths=/quoted"})
    void annotationThatTheRuleDoesNotCoverOrAnswersIsFine(String settings, CapturedOutput output) {
        application
                .withBean(Quoted.class)
                .withPropertyValues(rule("quota", settings.split(",")))
                .withPropertyValues(rule("quota", "limit=9", "window=1s"))
                .run(context -> assertThat(context).hasNotFailed());

        assertThat(output).doesNotContain("LIM-909");
    }

    @Test
    void fewerKeysThanOneClientHasBucketsAreFound(CapturedOutput output) {
        application
                .withPropertyValues(
                        "limiter.max-keys=2",
                        "limiter.web.default-limit.limit=1",
                        "limiter.web.default-limit.window=1s",
                        "limiter.web.default-limit.key=ip")
                .run(context -> assertThat(context).hasNotFailed());

        assertThat(output).contains("limiter.max-keys = 2: one client");
    }

    private void run(String[] properties) {
        application
                .withPropertyValues(properties)
                .run(context -> assertThat(context).hasNotFailed());
    }

    private static String[] rule(String name, String... settings) {
        return Arrays.stream(settings)
                .filter(setting -> setting != null)
                .map(setting -> "limiter.rules." + name + "." + setting)
                .toArray(String[]::new);
    }

    static class Exports {

        @RateLimiter("exports")
        public void reached() {}

        @RateLimiter(limit = 1)
        public final void out() {}
    }

    record InCode(RateLimiters limiters) {}

    static class Counted {

        @RateLimiter(limit = 1)
        public void call() {}
    }

    @RestController
    static class Quoted {

        @RateLimiter(name = "quota", cost = "5", key = "ip")
        @GetMapping("/quoted")
        public String quoted() {
            return "quoted";
        }
    }

    @Configuration(proxyBeanMethods = false)
    @Import(Controller.class)
    static class Application implements WebMvcConfigurer {

        /** The folder of all classes stands for one of files. */
        @Override
        public void addResourceHandlers(ResourceHandlerRegistry registry) {
            registry.addResourceHandler("/assets/**").addResourceLocations("classpath:/assets/");
            registry.addResourceHandler("/**").addResourceLocations("classpath:/dev/");
        }

        @Override
        public void addViewControllers(ViewControllerRegistry registry) {
            registry.addViewController("/view");
        }

        @Bean
        RouterFunction<ServerResponse> routes() {
            return RouterFunctions.route()
                    .GET("/routed", request -> ServerResponse.ok().build())
                    .path(
                            "/nested",
                            nested -> nested.GET(
                                            "/inner",
                                            request -> ServerResponse.ok().build())
                                    .route(
                                            RequestPredicates.path("/hidden").or(RequestPredicates.path("/other")),
                                            request -> ServerResponse.ok().build()))
                    .build();
        }
    }

    @RestController
    static class Controller {

        @GetMapping("/orders/{id}")
        String order(@PathVariable String id) {
            return id;
        }

        @GetMapping({"/either", "/or"})
        String either() {
            return "either";
        }
    }
}
