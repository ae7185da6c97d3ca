package dev.limiter.spring.check;

import static dev.limiter.spring.compile.TestRules.inForce;
import static dev.limiter.spring.compile.TestRules.keyed;
import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.spring.decide.MethodLimits;
import dev.limiter.spring.failure.MessageCode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SwitchedOffCheckTests {

    @ParameterizedTest
    @CsvSource({
        "true, true",
        "#{true}, true",
        "#{1 == 1}, true",
        "false, false",
        "#request.path == '/', false",
        "#request != null or true, false"
    })
    void findsRulesThatSkipAllRequests(String skipIf, boolean off) {
        assertThat(new SwitchedOffCheck(inForce(keyed("login", "ip").skipIf(skipIf)), () -> MethodLimits.NONE)
                        .findings())
                .allSatisfy(finding -> {
                    assertThat(finding.code()).isEqualTo(MessageCode.SWITCHED_OFF);
                    assertThat(finding.text()).startsWith("limiter.rules.login.skip-if = " + skipIf + " ");
                    assertThat(finding.text()).contains("mode: off");
                })
                .hasSize(off ? 1 : 0);
    }

    @ParameterizedTest
    @CsvSource({"false, true", "true, false"})
    void findsRulesOfWhichTheConditionIsNeverTrue(String condition, boolean off) {
        assertThat(new SwitchedOffCheck(inForce(keyed("login", "ip").condition(condition)), () -> MethodLimits.NONE)
                        .findings())
                .hasSize(off ? 1 : 0);
    }
}
