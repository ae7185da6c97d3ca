package dev.limiter.spring.check;

import static dev.limiter.spring.compile.TestRules.inForce;
import static dev.limiter.spring.compile.TestRules.keyed;
import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.spring.decide.MethodLimits;
import dev.limiter.spring.failure.MessageCode;
import dev.limiter.spring.rule.RuleDefinition;
import java.util.List;
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
    @CsvSource({
        "false, true",
        "#{false}, true",
        "#{1 == 2}, true",
        "true, false",
        "failed, false",
        "#response.status == 401, false"
    })
    void findsRulesThatChargeNoRequest(String chargeIf, boolean off) {
        assertThat(new SwitchedOffCheck(inForce(keyed("login", "ip").chargeIf(chargeIf)), () -> MethodLimits.NONE)
                        .findings())
                .allSatisfy(finding -> assertThat(finding.text())
                        .startsWith("limiter.rules.login.charge-if = " + chargeIf + " ")
                        .contains("mode: off"))
                .hasSize(off ? 1 : 0);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "0.0.0.0/0,::/0; ; true",
                "::/0,10.0.0.0/8,0.0.0.0/0; ; true",
                "0.0.0.0/0; ; false",
                "::/0; ; false",
                "10.0.0.0/8; ; false",
                "0.0.0.0/0,::/0; 192.0.2.7; false"
            })
    void findsRulesThatAllowEverybody(String allow, String deny, boolean off) {
        RuleDefinition.Builder rule =
                keyed("login", "ip").allow(List.of(allow.split(","))).deny(deny == null ? null : List.of(deny));
        assertThat(new SwitchedOffCheck(inForce(rule), () -> MethodLimits.NONE).findings())
                .allSatisfy(finding -> assertThat(finding.text())
                        .startsWith("limiter.rules.login.allow = [" + allow.replace(",", ", ") + "] ")
                        .contains("mode: off"))
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
