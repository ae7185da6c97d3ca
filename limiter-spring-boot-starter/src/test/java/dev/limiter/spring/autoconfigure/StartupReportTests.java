package dev.limiter.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.spring.Limiter;
import dev.limiter.spring.RateLimitTemplate;
import dev.limiter.spring.annotation.RateLimiter;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.web.servlet.WebMvcAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
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

/** Settings that may not do what was intended are reported at startup, and correct ones are not. */
@ExtendWith(OutputCaptureExtension.class)
class StartupReportTests {

    private static final String REPORT = "may not do what you intend";

    private static final AutoConfigurations CHANGES = AutoConfigurations.of(LimiterChangesAutoConfiguration.class);

    private WebApplicationContextRunner application = new WebApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(WebMvcAutoConfiguration.class))
            .withConfiguration(CHANGES)
            .withConfiguration(Limiter.autoConfigurations())
            .withUserConfiguration(Application.class)
            .withBean(Exports.class);

    @Test
    void logsNothingWithoutRules(CapturedOutput output) {
        run();
        assertThat(output).doesNotContain(REPORT);
    }

    @Test
    void summaryShowsThatNothingIsLimited(CapturedOutput output) {
        new ApplicationContextRunner()
                .withConfiguration(CHANGES)
                .withConfiguration(Limiter.autoConfigurations())
                .run(context -> assertThat(context).hasNotFailed());

        assertThat(output).contains("Rate limits: 0 rules, storage: memory").doesNotContain(REPORT);
    }

    @Test
    void summaryIsOneLine(CapturedOutput output) {
        run(rule("fine", "paths=/orders/**", "key=ip", "candidate.limit=5"));
        assertThat(output)
                .contains("INFO", "Rate limits: 3 rules, storage: memory")
                .doesNotContain(REPORT);
    }

    @Test
    void completeRuleWithoutPathsMayBeForCode(CapturedOutput output) {
        WebApplicationContextRunner forCode = application.withPropertyValues(rule("checkout"));

        forCode.withBean(Checkout.class).run(context -> assertThat(context).hasNotFailed());
        assertThat(output).doesNotContain("limiter.rules.checkout");

        forCode.run(context -> assertThat(context).hasNotFailed());
        assertThat(output)
                .contains(
                        "INFO",
                        "limit nothing until code uses them with a RateLimitTemplate, or a gateway route with the filter"
                                + " Limiter: limiter.rules.checkout")
                .doesNotContain("limiter.rules.checkout limits nothing");
    }

    @Test
    void intendedConfigurationHasNoFindings(CapturedOutput output) {
        String paths =
                "/orders/**,/**,/,/order*/{id},/eith*,/limit*,/limit*/spring,/nested/inner,/nested/hidden,/either,"
                        + "/assets/logo.svg,/view,/limiter/**";
        run(
                rule("paths", "paths=" + paths, "key=ip"),
                rule("gets", "paths=/orders/{id},/routed", "methods=get", "key=ip"),
                rule("banning", "paths=/orders/**", "key=principal|ip", "ban.after=3", "ban.within=1m", "ban.for=1m"),
                rule("quota", "paths=/orders/**", "key=ip"),
                rule("my-exports"));
        assertThat(output).doesNotContain(REPORT);
    }

    @Test
    void allIsOneMessage(CapturedOutput output) {
        application = application.withBean(Unreachable.class).withBean(Quoted.class);
        run(
                rule("typo", "paths=/ordrs", "key=ip"),
                rule("keyless", "paths=/orders/**"),
                new String[] {"limiter.rules.lost.limit=1"},
                rule("my-exports"),
                rule("banning", "paths=/orders/**", "key=cookie:id", "ban.after=3", "ban.within=1m", "ban.for=1m"),
                rule("quota", "paths=/quoted", "key=session", "limit=9"));
        assertThat(output.toString().split(REPORT, -1)).hasSize(2);
        assertThat(output.toString().substring(output.toString().indexOf(REPORT)))
                .contains(
                        "\n  - limiter.rules.typo.paths",
                        "\n  - limiter.rules.keyless: all clients share one bucket, because the rule has no key.",
                        "\n  - limiter.rules.lost limits nothing",
                        "@RateLimiter(\"lost\")",
                        "\n  - @RateLimiter on " + Unreachable.class.getName() + ".out()",
                        "calls of a final method",
                        "\n  - limiter.rules.banning.key = cookie:id: clients choose this value freely",
                        Quoted.class.getName() + ".quoted: cost = \"5\"",
                        "has no effect, because only limiter.rules.quota")
                .contains("LIM-901", "LIM-903", "LIM-909")
                .doesNotContain("my-exports");
    }

    private void run(String[]... rules) {
        for (String[] rule : rules) {
            application = application.withPropertyValues(rule);
        }
        application.run(context -> assertThat(context).hasNotFailed());
    }

    /** One permit per second. */
    private static String[] rule(String name, String... settings) {
        return Stream.concat(Stream.of("limit=1", "window=1s"), Stream.of(settings))
                .map(setting -> "limiter.rules." + name + "." + setting)
                .toArray(String[]::new);
    }

    record Checkout(RateLimitTemplate limits) {}

    static class Exports {

        @RateLimiter(name = "my_Exports", limit = 1)
        public void export() {}

        @RateLimiter(limit = 1)
        public void counted() {}
    }

    static class Unreachable {

        @RateLimiter(limit = 1)
        public final void out() {}
    }

    @RestController
    static class Quoted {

        @RateLimiter(name = "quota", cost = "5", key = "session")
        @GetMapping("/quoted")
        public String quoted() {
            return "quoted";
        }
    }

    @Configuration(proxyBeanMethods = false)
    @Import(Controller.class)
    static class Application implements WebMvcConfigurer {

        /** Serves the classes of the test as static files. */
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
