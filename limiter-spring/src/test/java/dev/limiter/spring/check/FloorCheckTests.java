package dev.limiter.spring.check;

import static dev.limiter.spring.compile.TestRules.compiled;
import static dev.limiter.spring.compile.TestRules.inForce;
import static dev.limiter.spring.compile.TestRules.keyed;
import static dev.limiter.spring.compile.TestRules.rule;
import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.spring.compile.Floors;
import dev.limiter.spring.compile.Floors.Floor;
import dev.limiter.spring.compiled.RateLimitRule;
import dev.limiter.spring.compiled.RuleSet;
import dev.limiter.spring.compiled.Rules;
import dev.limiter.spring.decide.MethodLimits;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FloorCheckTests {

    private final Rules rules = inForce(
            keyed("default", "ip"), keyed("log-in", "ip"), rule("in-annotation").lease("5%"));

    /** Rules of properties, the automatic limit, and a method that was found. */
    @ParameterizedTest
    @CsvSource({
        "log-in, false",
        "LogIn, false",
        "log_in, false",
        "in-annotation, false",
        "default, false",
        "Orders.list, false",
        "login-, false",
        "logon, true"
    })
    void findsFloorsThatNoRuleHas(String name, boolean found) {
        Floors floors = new Floors(Map.of(name, new Floor("limiter.floors." + name, 5, Duration.ofMinutes(1))));
        assertThat(new FloorCheck(floors, rules, OneMethod::new).findings())
                .map(Finding::toString)
                .allSatisfy(text -> assertThat(text)
                        .startsWith("Nothing is held to the floor limiter.floors." + name + ":")
                        .endsWith("[LIM-914]"))
                .hasSize(found ? 1 : 0);
    }

    @Test
    void methodsAreNotAskedForWithoutFloors() {
        assertThat(new FloorCheck(Floors.NONE, rules, () -> {
                            throw new AssertionError("not all beans are there");
                        })
                        .findings())
                .isEmpty();
    }

    private static final class OneMethod implements MethodLimits {

        @Override
        public List<RateLimitRule> rules(RuleSet ruleSet) {
            return List.of(compiled(keyed("Orders.list", "ip")));
        }

        @Override
        public boolean isLimited(Method method, Class<?> targetClass) {
            return false;
        }
    }
}
