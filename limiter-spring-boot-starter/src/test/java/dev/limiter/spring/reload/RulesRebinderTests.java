package dev.limiter.spring.reload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.limiter.spring.config.BindProblemCollector;
import dev.limiter.spring.rule.RuleDefinition;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.StandardEnvironment;

class RulesRebinderTests {

    private final RulesRebinder rebinder = new RulesRebinder(List.of(new BindProblemCollector()));

    @Test
    void bindsTheRulesThatThereAreNow() {
        assertThat(rebinder.rebind(with("limiter.rules.a.limit", "5")).rules())
                .map(RuleDefinition::name)
                .containsExactly("a");
        assertThat(rebinder.rebind(with("limiter.rules.b.limit", "5")).rules())
                .map(RuleDefinition::name)
                .containsExactly("b");
        assertThat(rebinder.rebind(new StandardEnvironment()).rules()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"limiter.rules.a.limt, 5", "limiter.rules.a.limit, many"})
    void valuesThatCannotBeBoundAreRejected(String property, String value) {
        assertThatExceptionOfType(BindException.class).isThrownBy(() -> rebinder.rebind(with(property, value)));
    }

    @Test
    void nameWithOtherCharactersIsRejected() {
        assertThatExceptionOfType(BindException.class)
                .isThrownBy(() -> rebinder.rebind(with("limiter.rules.für.limit", "5")))
                .havingCause()
                .withMessageContaining("limiter.rules.für")
                .withMessageContaining("[LIM-103]");
    }

    /** As in a file that has {@code limit: 1,000} in braces. */
    @Test
    void numberInThePlaceOfAKeyIsRejected() {
        ConfigurableEnvironment file = with("limiter.rules.a.limit", "1");
        file.getPropertySources().addLast(new MapPropertySource("more", Map.of("limiter.rules.a[0]", "")));

        assertThatExceptionOfType(BindException.class)
                .isThrownBy(() -> rebinder.rebind(file))
                .havingCause()
                .withMessageContaining("limiter.rules.a[0]")
                .withMessageContaining("[LIM-101]");
    }

    @Test
    void firstAdvisorOfTheApplicationIsInnermost() {
        List<String> applied = new ArrayList<>();
        new RulesRebinder(List.of(
                        handler -> {
                            applied.add("inner");
                            return handler;
                        },
                        handler -> {
                            applied.add("outer");
                            return handler;
                        }))
                .rebind(new StandardEnvironment());
        assertThat(applied).containsExactly("inner", "outer");
    }

    private static ConfigurableEnvironment with(String property, String value) {
        StandardEnvironment environment = new StandardEnvironment();
        environment.getPropertySources().addFirst(new MapPropertySource("test", Map.of(property, value)));
        return environment;
    }
}
