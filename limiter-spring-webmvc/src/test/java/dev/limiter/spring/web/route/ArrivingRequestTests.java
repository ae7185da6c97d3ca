package dev.limiter.spring.web.route;

import static dev.limiter.spring.web.TestRules.rule;
import static dev.limiter.spring.web.TestRules.ruleSet;
import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.spring.compile.RateLimitRule;
import dev.limiter.spring.compile.RuleSet;
import dev.limiter.spring.edge.ArrivingRequest;
import dev.limiter.spring.rule.Mode;
import dev.limiter.spring.rule.Phase;
import dev.limiter.spring.rule.RuleDefinition;
import dev.limiter.spring.rule.RuleOptions;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.mock.web.MockHttpServletRequest;

/** Rules of the filter apply to each reading of a path. */
class ArrivingRequestTests {

    private final RuleSet rules = ruleSet(
            null,
            List.of("/health/**"),
            early("login", "/login", "/{name}/login").set(RuleOptions.METHODS, List.of("POST")),
            early("all", "/**"),
            early("off", "/**").set(RuleOptions.MODE, Mode.OFF),
            rule("later", "/**"));

    @ParameterizedTest
    @CsvSource({
        "POST, /login, login POST /login | all * /**",
        "POST, /shop/login, login POST /{name}/login | all * /**",
        "GET, /login, all * /**",
        "POST, /other, all * /**",
        "POST, /health, ''",
        "POST, /health/live, ''"
    })
    void rulesOfThePhaseApplyByMethodAndPath(String method, String path, String resources) {
        ArrivingRequest arriving = arriving(request(method, path, path));
        assertThat(resources(arriving)).isEqualTo(resources);
    }

    /** A rule applies if it matches the path as sent, or as the container reads it. */
    @ParameterizedTest
    @CsvSource({
        "/login;jsessionid=1, /login",
        "/%6Cogin, /login",
        "/x/../login, /login",
        "/x/..;/login, /login",
        "/./login, /login",
        "//login, /login",
        "/login, /signin",
        "/signin, /login"
    })
    void noSpellingOfAPathGetsAroundItsRule(String sent, String read) {
        assertThat(names(arriving(request("POST", sent, read)))).isEqualTo("login all");
    }

    /** Only one reading of the path is exempt: another handler may serve the other one. */
    @ParameterizedTest
    @CsvSource({"/health/../login, /login, login all", "/health;/live, /health/live, ''"})
    void exemptIsOnlyAPathThatIsExemptInEachReading(String sent, String read, String names) {
        assertThat(names(arriving(request("POST", sent, read)))).isEqualTo(names);
    }

    private ArrivingRequest arriving(MockHttpServletRequest request) {
        return ArrivingRequest.of(request.getMethod(), PathReadings.of(request), rules);
    }

    private static RuleDefinition.Builder early(String name, String... paths) {
        return rule(name, paths).set(RuleOptions.PHASE, Phase.REQUEST);
    }

    private static MockHttpServletRequest request(String method, String sent, String read) {
        MockHttpServletRequest request = new MockHttpServletRequest(method, sent);
        request.setServletPath(read);
        return request;
    }

    /** Returns each rule and the resource that it names. */
    private static String resources(ArrivingRequest arriving) {
        return arriving.resources().entrySet().stream()
                .map(entry -> entry.getKey().name() + " " + entry.getValue())
                .collect(Collectors.joining(" | "));
    }

    private static String names(ArrivingRequest arriving) {
        return arriving.rules().stream().map(RateLimitRule::name).collect(Collectors.joining(" "));
    }
}
