package dev.limiter.spring.check;

import static dev.limiter.spring.compile.TestRules.inForce;
import static dev.limiter.spring.compile.TestRules.inForceBeside;
import static dev.limiter.spring.compile.TestRules.rule;
import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.spring.compiled.RateLimitRule;
import dev.limiter.spring.compiled.RuleSet;
import dev.limiter.spring.compiled.Rules;
import dev.limiter.spring.decide.MethodLimits;
import dev.limiter.spring.failure.MessageCode;
import dev.limiter.spring.rule.LimitDefinition;
import dev.limiter.spring.rule.Mode;
import dev.limiter.spring.rule.RuleDefinition;
import dev.limiter.spring.rule.RuleOrigin;
import dev.limiter.spring.rule.Setting;
import dev.limiter.spring.rule.TiersDefinition;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EmptyReserveCheckTests {

    private static final RuleOrigin ORDERS = RuleOrigin.property("limiter.rules.orders");

    @ParameterizedTest
    @CsvSource({"4, 20%, 25%", "3, 33%, 34%", "2, 49%, 50%", "99, 1%, 2%"})
    void findsAShareOfLessThanOnePermit(long limit, String reserve, String least) {
        assertThat(check(inForce(orders(limit, reserve)))).singleElement().satisfies(finding -> {
            assertThat(finding.code()).isEqualTo(MessageCode.IGNORED_SETTING);
            assertThat(finding.text())
                    .isEqualTo("limiter.rules.orders.reserve = " + reserve + " has no effect for limiter.rules.orders,"
                            + " since this share of " + limit + " permits is less than one: write " + least
                            + " or more, or remove it.");
        });
        assertThat(check(inForce(orders(limit, least)))).isEmpty();
    }

    @Test
    void noShareOfASinglePermitIsOne() {
        assertThat(check(inForce(orders(1, "99%"))))
                .singleElement()
                .asString()
                .contains("this share of 1 permit is less than one: raise the limit, or remove it.");
    }

    @ParameterizedTest
    @CsvSource({"5, 20%", "100, 1%", "1000000000000000, 99%"})
    void aShareOfOnePermitOrMoreIsFine(long limit, String reserve) {
        assertThat(check(inForce(orders(limit, reserve)))).isEmpty();
    }

    @Test
    void findsThatOfEachLimitAndTier() {
        TiersDefinition tiers = new TiersDefinition(
                "limiter.rules.orders.tiers",
                new Setting<>("ip", "limiter.rules.orders.tiers.by"),
                Map.of("trial", new TiersDefinition.Tier(none(), Map.of("hourly", limit(4)))));

        assertThat(check(inForce(rule("orders")
                        .namedLimit("fast", limit(2))
                        .namedLimit("hourly", limit(100))
                        .tiers(tiers)
                        .waiting(null, null, "true", "20%"))))
                .extracting(Finding::text)
                .satisfiesExactly(
                        text -> assertThat(text).contains(" for limiter.rules.orders.limits.fast, since"),
                        text -> assertThat(text).contains(" for limiter.rules.orders.tiers.trial.limits.fast, since"),
                        text -> assertThat(text)
                                .contains(" for limiter.rules.orders.tiers.trial.limits.hourly, since"));
    }

    @Test
    void findsThatOfTheDefaultLimitAndOfMethods() {
        assertThat(check(inForceBeside(orders(4, "20%")))).hasSize(1);

        RuleSet ofMethods = inForce(orders(4, "20%")).current();
        MethodLimits methods = new MethodLimits() {
            @Override
            public List<RateLimitRule> rules(RuleSet ruleSet) {
                return ofMethods.rules();
            }

            @Override
            public boolean isLimited(Method method, Class<?> targetClass) {
                return true;
            }
        };
        assertThat(new EmptyReserveCheck(inForce(), () -> methods).findings()).hasSize(1);
    }

    @Test
    void aRuleThatIsOffIsNoConcern() {
        assertThat(check(inForce(orders(4, "20%").mode(Mode.OFF)))).isEmpty();
    }

    private static List<Finding> check(Rules rules) {
        return new EmptyReserveCheck(rules, () -> MethodLimits.NONE).findings();
    }

    private static RuleDefinition.Builder orders(long limit, String reserve) {
        return rule("orders").limit(limit, "1h", null, null, null).waiting(null, null, "true", reserve);
    }

    private static LimitDefinition limit(long limit) {
        return LimitDefinition.of(ORDERS, limit, "1h", null, null, null);
    }

    private static LimitDefinition none() {
        return LimitDefinition.of(ORDERS, null, null, null, null, null);
    }
}
