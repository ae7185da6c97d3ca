package dev.limiter.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.spring.Limiter;
import dev.limiter.spring.annotation.RateLimiter;
import jakarta.servlet.Filter;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.web.servlet.WebMvcAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
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

    private final WebApplicationContextRunner application = new WebApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(WebMvcAutoConfiguration.class))
            .withConfiguration(Limiter.autoConfigurations())
            .withUserConfiguration(Application.class);

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "limiter.redis.url=redis://x:1            | limiter.redis.url has no effect, since limiter.storage is memory",
                "limiter.redis.timeout=10ms               | limiter.redis.timeout has no effect",
                "limiter.rules.a.lease=5%                 | limiter.rules.a.lease has no effect",
                "limiter.rules.a.on-failure=deny          | limiter.rules.a.on-failure has no effect",
                "limiter.web.forwarded-header=forwarded   | limiter.web.trusted-proxies is empty",
                "limiter.web.static-resources=true        | there is no limiter.web.default-limit",
                "limiter.dashboard.path=/limits           | limiter.dashboard.path has no effect, since the page is off",
                "limiter.rules.a.scope=endpoint           | limiter.rules.a.scope has no effect",
            })
    void saysWhatHasNoEffect(String property, String said, CapturedOutput output) {
        application
                .withPropertyValues(
                        "limiter.rules.a.paths=/orders/**",
                        "limiter.rules.a.limit=500",
                        "limiter.rules.a.window=1s",
                        "limiter.rules.a.phase=request",
                        property)
                .run(context -> assertThat(context).hasNotFailed());

        assertThat(output.toString()).contains(REPORT, said).containsOnlyOnce("[LIM-915]");
    }

    @ParameterizedTest
    @ValueSource(strings = {"lease=5%", "on-failure=deny"})
    void saysWhatHasNoEffectInTheDefaultLimit(String setting, CapturedOutput output) {
        application
                .withPropertyValues(
                        "limiter.web.default-limit.limit=500",
                        "limiter.web.default-limit.window=1s",
                        "limiter.web.default-limit." + setting)
                .run(context -> assertThat(context).hasNotFailed());

        assertThat(output)
                .contains("limiter.web.default-limit." + setting.split("=")[0] + " has no effect", "[LIM-915]");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "limiter.rules.a.key=ip             | limiter.rules.a.mode=enforce",
                "limiter.web.static-resources=false | limiter.web.ipv6-prefix=64",
                "limiter.web.static-resources=true  | limiter.web.default-limit.limit=5",
                "limiter.web.forwarded-header=any   | limiter.web.trusted-proxies=10.0.0.0/8",
                "limiter.rules.a.scope=endpoint     | limiter.rules.a.phase=endpoint",
                "limiter.rules.a.scope=endpoint     | limiter.rules.a.paths=/orders/{id},/items",
            })
    void saysNothingOfWhatHasAnEffect(String one, String other, CapturedOutput output) {
        application
                .withPropertyValues(
                        "limiter.rules.a.paths=/orders/**",
                        "limiter.rules.a.limit=500",
                        "limiter.rules.a.window=1s",
                        "limiter.rules.a.phase=request",
                        "limiter.web.default-limit.window=" + (other.contains("default-limit") ? "1s" : ""),
                        one,
                        other)
                .run(context -> {});

        assertThat(output).doesNotContain("LIM-915");
    }

    @Test
    void saysOfEachRuleOnArrivalThatItsOnlyPathNeedsNoScope(CapturedOutput output) {
        application
                .withPropertyValues(
                        "limiter.rules.a.paths=/orders/**",
                        "limiter.rules.a.limit=500",
                        "limiter.rules.a.window=1s",
                        "limiter.rules.a.phase=request",
                        "limiter.rules.a.scope=endpoint",
                        "limiter.rules.b.paths=/orders/{id},/items",
                        "limiter.rules.b.limit=400",
                        "limiter.rules.b.window=1s",
                        "limiter.rules.b.phase=request",
                        "limiter.rules.b.scope=endpoint")
                .run(context -> assertThat(context).hasNotFailed());

        assertThat(output).contains("- limiter.rules.a.scope has no effect");
    }

    @Test
    void pageWithoutActuatorStopsTheStart() {
        application
                .withConfiguration(AutoConfigurations.of(LimiterDashboardAutoConfiguration.class))
                .withClassLoader(new FilteredClassLoader("org.springframework.boot.actuate"))
                .withPropertyValues("limiter.dashboard.enabled=true", "limiter.dashboard.insecure=true")
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .hasMessageContaining("limiter.dashboard.enabled")
                        .hasMessageContaining("spring-boot-starter-actuator"));
    }

    @Test
    void pageWithoutItsEndpointIsReported(CapturedOutput output) {
        application
                .withConfiguration(AutoConfigurations.of(LimiterDashboardAutoConfiguration.class))
                .withPropertyValues("limiter.dashboard.enabled=true", "limiter.dashboard.insecure=true")
                .run(context -> assertThat(context).hasNotFailed());

        assertThat(output).contains("[LIM-915]", "the endpoint limiter is not exposed");
    }

    @Test
    void saysNothingWithoutRules(CapturedOutput output) {
        application.run(context -> assertThat(context).hasNotFailed());

        assertThat(output).doesNotContain(REPORT);
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
        run(rule("fine", "paths=" + paths, "limit=1", "window=1s", methods == null ? null : "methods=" + methods));

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
                "/ordrs*        | ",
                "/ordrs*/{id}   | ",
                "/orders/{id}/x*| ",
                "/*.css         | ",
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
                        "\n  - Nothing uses the rule limiter.rules.lost",
                        "\n  - @RateLimiter on " + Exports.class.getName() + ".out()",
                        "calls of a final method")
                .doesNotContain("limiter.rules.exports");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                // one                               | and another that is looser
                "limit=100,window=1s                 | limit=1000,window=1s",
                "limit=100,window=1s                 | limit=100,window=1s",
                "limit=10,window=1s                  | limit=1000,window=1m",
                "limit=10,window=1s,burst=20         | limit=10,window=1s,burst=30,algorithm=leaky-bucket",
                "limit=5,window=1s,algorithm=fixed-window           | limit=6,window=1s,algorithm=fixed-window",
                "limit=5,window=1s,algorithm=sliding-window-counter | limit=6,window=1s,algorithm=sliding-window-counter",
                "limit=5,window=1s,algorithm=sliding-window-log     | limit=1000,window=1m,algorithm=fixed-window",
                "limit=5,window=1d,algorithm=fixed-window,align=calendar | limit=6,window=1d,algorithm=fixed-window,align=calendar",
                "limit=5,algorithm=concurrency       | limit=6,algorithm=concurrency",
                "limit=100,window=1s                 | limit=1000,window=1s,cost=1",
                "limit=100,window=1s,cost=2          | limit=1000,window=1s,cost=2",
            })
    void limitThatIsNeverTheTighterIsFound(String tight, String loose, CapturedOutput output) {
        run(rule(
                "two",
                Stream.concat(
                                Stream.of("paths=/orders/**"),
                                Stream.concat(named("first", tight), named("second", loose)))
                        .toArray(String[]::new)));

        assertThat(output)
                .contains(REPORT, "limiter.rules.two.limits.second: it never refuses what limits.first beside it");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "limit=10,window=1s           | limit=1000,window=1h",
                "limit=10,window=1s           | limit=100,window=1m,algorithm=fixed-window",
                "limit=10,window=1s,burst=100 | limit=10,window=1s,burst=10",
                "limit=5,window=1s,algorithm=fixed-window | limit=5,window=1s,algorithm=sliding-window-log",
                "limit=5,window=1d,algorithm=fixed-window,align=calendar | limit=6,window=1d,algorithm=fixed-window",
                "limit=5,algorithm=concurrency | limit=100,window=1s",
                "limit=5,algorithm=concurrency | limit=5,window=1s",
                "limit=100,window=1s           | limit=1000,window=1s,cost=20",
                "limit=100,window=1s           | limit=1000,window=1s,cost=#request.path.length()",
            })
    void twoLimitsOfWhichEachMayBeTheTighterAreFine(String one, String other, CapturedOutput output) {
        // the burst of a bucket that is smaller than the limit of the other is the tighter of both
        run(rule(
                "two",
                Stream.concat(Stream.of("paths=/orders/**"), Stream.concat(named("first", one), named("second", other)))
                        .toArray(String[]::new)));

        assertThat(output).doesNotContain("limits.second: it never");
    }

    @Test
    void ruleThatAnotherAlwaysForestallsIsFound(CapturedOutput output) {
        application
                .withPropertyValues(rule("tight", "paths=/orders/**", "key=ip", "limit=10", "window=1s"))
                .withPropertyValues(rule("loose", "paths=/orders/**", "key=ip", "limit=1000", "window=1s"))
                .withPropertyValues(rule("other-key", "paths=/orders/**", "key=session", "limit=1000", "window=1s"))
                .withPropertyValues(
                        rule("tried", "paths=/orders/**", "key=ip", "limit=1000", "window=1s", "mode=shadow"))
                .run(context -> assertThat(context).hasNotFailed());

        assertThat(output)
                .contains("limiter.rules.loose: it counts the same requests as limiter.rules.tight")
                .doesNotContain("rules.other-key:", "rules.tried:", "rules.tight:");
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
        run(rule("login", "paths=/login", "limit=1", "window=1s", "phase=request"));

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

    @ParameterizedTest
    @ValueSource(strings = {"endpoint", "request"})
    void contextPathInPathsIsFound(String phase, CapturedOutput output) {
        application
                .withPropertyValues("server.servlet.context-path=/shop")
                .withPropertyValues(rule("orders", "paths=/shop/orders/**", "limit=1", "window=1s", "phase=" + phase))
                .run(context -> assertThat(context).hasNotFailed());

        assertThat(output).contains("LIM-912", "limiter.rules.orders.paths = /shop/orders/**", "context path /shop");
    }

    @Test
    void pathsThatOnlyBeginLikeTheContextPathAreFine(CapturedOutput output) {
        application
                .withPropertyValues("server.servlet.context-path=/orders")
                .withPropertyValues(rule("orders", "paths=/orders/**", "limit=1", "window=1s"))
                .run(context -> assertThat(context).hasNotFailed());

        assertThat(output).doesNotContain(REPORT);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "/orders/** | path:nosuch | limiter.rules.by-path.key = path:nosuch: no endpoint",
                "/orders/** | path:idd,ip | Did you mean id?",
                "/either    | path:id     | There are none",
            })
    void pathVariableThatNoEndpointHasIsFound(String paths, String key, String said, CapturedOutput output) {
        run(rule("by-path", "paths=" + paths, "key=" + key, "limit=1", "window=1s"));

        assertThat(output).contains("LIM-910", said);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "/orders/**; path:id",
                "/orders/**; path:nosuch|ip",
                "/**; path:id",
                "/nested/**; path:anything",
                "/orders/**; ip",
            })
    void pathVariableThatAnEndpointMayHaveIsFine(String paths, String key, CapturedOutput output) {
        run(rule("by-path", "paths=" + paths, "key=" + key, "limit=1", "window=1s"));

        assertThat(output).doesNotContain("LIM-910");
    }

    @Test
    void usersWhereNothingLogsThemInAreFound(CapturedOutput output) {
        run(rule("users", "paths=/orders/**", "key=principal", "limit=1", "window=1s"));

        assertThat(output).contains("LIM-911", "limiter.rules.users.key = principal: nothing here logs users in");
    }

    @Test
    void usersOfTheDefaultLimitAreFound(CapturedOutput output) {
        application
                .withPropertyValues(
                        "limiter.web.default-limit.limit=1",
                        "limiter.web.default-limit.window=1s",
                        "limiter.web.default-limit.key=principal")
                .run(context -> assertThat(context).hasNotFailed());

        assertThat(output).contains("LIM-911", "limiter.web.default-limit.key = principal: nothing here logs users in");
    }

    @Test
    void usersOfAnAnnotationAreFound(CapturedOutput output) {
        application.withBean(ByUser.class).run(context -> assertThat(context).hasNotFailed());

        assertThat(output)
                .contains(
                        "LIM-911", "key of @RateLimiter on " + ByUser.class.getName() + ".own() = principal: nothing");
    }

    @Test
    void usersAreFineWhereAFilterMayLogThemIn(CapturedOutput output) {
        application
                .withBean("own", Filter.class, () -> (request, response, chain) -> chain.doFilter(request, response))
                .withPropertyValues(rule("users", "paths=/orders/**", "key=principal", "limit=1", "window=1s"))
                .run(context -> assertThat(context).hasNotFailed());

        assertThat(output).doesNotContain("LIM-911");
    }

    @Test
    void usersAreFineWhereSomethingStandsInForThem(CapturedOutput output) {
        run(rule("users", "paths=/orders/**", "key=principal|ip", "limit=1", "window=1s"));

        assertThat(output).doesNotContain("LIM-911");
    }

    @Test
    void reserveOfNoPermitIsFound(CapturedOutput output) {
        run(rule("a", "paths=/orders/**", "limit=4", "window=1s", "reserve=20%", "priority=true"));

        assertThat(output)
                .contains("[LIM-915]", "limiter.rules.a.reserve = 20% has no effect for limiter.rules.a, since");
    }

    @Test
    void reserveOfNoPermitInAnAnnotationIsFound(CapturedOutput output) {
        application.withBean(Reserved.class).run(context -> assertThat(context).hasNotFailed());

        assertThat(output).contains("[LIM-915]", "reserve of @RateLimiter on " + Reserved.class.getName() + ".call(");
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
    void pathVariableOfAnAnnotationThatItsEndpointDoesNotHaveIsFound(CapturedOutput output) {
        application
                .withBean(ByVariable.class)
                .run(context -> assertThat(context).hasNotFailed());

        assertThat(output)
                .contains("LIM-910", "key of @RateLimiter on " + ByVariable.class.getName() + ".wrong = path:nosuch")
                .doesNotContain(".right");
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

    @Test
    void annotationOnAMethodThatMakesABeanIsFound(CapturedOutput output) {
        application
                .withUserConfiguration(Factory.class)
                .run(context -> assertThat(context).hasNotFailed());

        assertThat(output)
                .contains("LIM-916", "@RateLimiter on " + Factory.class.getName() + ".made() limits no call")
                .contains("@RateLimiter on " + Factory.class.getName() + ".madeStatically() limits no call")
                .doesNotContain("LIM-905", "plain()");
    }

    @Test
    void annotatedControllerBehindAnInterfaceIsFound(CapturedOutput output) {
        application
                .withPropertyValues("spring.aop.proxy-target-class=false")
                .withBean(Hidden.class)
                .withBean(Shown.class)
                .withBean(ByVariable.class)
                .run(context -> assertThat(context).hasNotFailed());

        assertThat(output)
                .contains("LIM-917", Hidden.class.getName(), "spring.aop.proxy-target-class")
                .doesNotContain(Shown.class.getName());
    }

    @Test
    void annotatedControllerBehindAClassIsFine(CapturedOutput output) {
        application
                .withBean(Hidden.class)
                .withBean(Shown.class)
                .run(context -> assertThat(context).hasNotFailed());

        assertThat(output).doesNotContain(REPORT);
    }

    private void run(String[] properties) {
        application
                .withPropertyValues(properties)
                .run(context -> assertThat(context).hasNotFailed());
    }

    private static Stream<String> named(String name, String settings) {
        return Arrays.stream(settings.split(",")).map(setting -> "limits." + name + "." + setting.strip());
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

    @Configuration
    static class Factory {

        @Bean
        @RateLimiter(limit = 1, window = "1h")
        StringBuilder made() {
            return new StringBuilder();
        }

        @Bean
        @RateLimiter(limit = 1, window = "1h")
        static StringBuilder madeStatically() {
            return new StringBuilder();
        }

        @Bean
        Object plain() {
            return new Object();
        }
    }

    interface Greeting {

        String hello();
    }

    @RestController
    static class Hidden implements Greeting {

        @Override
        @RateLimiter(limit = 1, window = "1h")
        @GetMapping("/hidden")
        public String hello() {
            return "hello";
        }
    }

    @RestController
    interface ShownGreeting {

        @GetMapping("/shown")
        String hello();
    }

    static class Shown implements ShownGreeting {

        @Override
        @RateLimiter(limit = 1, window = "1h")
        public String hello() {
            return "hello";
        }
    }

    @RestController
    static class Quoted {

        @RateLimiter(name = "quota", cost = "5", key = "ip")
        @GetMapping("/quoted")
        public String quoted() {
            return "quoted";
        }
    }

    @RestController
    static class ByUser {

        @RateLimiter(limit = 3, key = "principal")
        @GetMapping("/own")
        public String own() {
            return "own";
        }
    }

    static class Reserved {

        @RateLimiter(limit = 4, priority = "#who == 'vip'", reserve = "20%")
        public void call(String who) {}
    }

    @RestController
    static class ByVariable {

        @RateLimiter(limit = 1, key = "path:nosuch")
        @GetMapping("/wrong/{id}")
        public String wrong(@PathVariable String id) {
            return id;
        }

        @RateLimiter(limit = 1, key = "path:id")
        @GetMapping("/right/{id}")
        public String right(@PathVariable String id) {
            return id;
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
