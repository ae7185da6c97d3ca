package dev.limiter.spring.config;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.spring.annotation.RateLimiter;
import dev.limiter.spring.rule.LimitOptions;
import dev.limiter.spring.rule.Option;
import dev.limiter.spring.rule.RuleOptions;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.springframework.core.ResolvableType;

/** All options of rules and limits can be configured, with the types in which they are bound. */
class BoundOptionsTests {
    private static final List<String> OF_SEVERAL_SETTINGS = List.of("limits", "tiers", "candidate", "ban");

    @Test
    void eachComponentOfARuleIsAnOption() throws IllegalAccessException {
        Map<String, Type> options = declared(LimitOptions.class);
        options.putAll(declared(RuleOptions.class));

        assertThat(components(LimiterProperties.Rule.class)).isEqualTo(options);
    }

    @Test
    void eachComponentOfTheAutomaticLimitIsAnOption() throws IllegalAccessException {
        Map<String, Type> options = declared(LimitOptions.class);
        options.putAll(declared(RuleOptions.class));

        assertThat(options).containsAllEntriesOf(components(LimiterProperties.DefaultLimit.class));
    }

    @Test
    void eachComponentOfANamedLimitIsAnOption() throws IllegalAccessException {
        assertThat(components(LimiterProperties.NamedLimit.class)).isEqualTo(declared(LimitOptions.class));
    }

    @Test
    void listsHaveAllOptions() throws IllegalAccessException {
        assertThat(LimitOptions.OF_NAMED)
                .hasSameSizeAs(declared(LimitOptions.class).keySet());
        assertThat(RuleOptions.ALL).hasSameSizeAs(declared(RuleOptions.class).keySet());
    }

    private static Map<String, Type> components(Class<? extends Record> record) {
        Map<String, Type> types = new TreeMap<>();
        for (RecordComponent component : record.getRecordComponents()) {
            if (!OF_SEVERAL_SETTINGS.contains(component.getName())) {
                types.put(component.getName(), component.getGenericType());
            }
        }
        return types;
    }

    private static Map<String, Type> declared(Class<?> holder) throws IllegalAccessException {
        Map<String, Type> types = new TreeMap<>();
        for (Field field : holder.getFields()) {
            if (Modifier.isStatic(field.getModifiers()) && field.get(null) instanceof Option<?> option) {
                Type type = ((ParameterizedType) field.getGenericType()).getActualTypeArguments()[0];
                assertThat(option.type())
                        .as(option.name())
                        .isEqualTo(ResolvableType.forType(type).toClass());
                types.put(option.attribute(), type);
            }
        }
        return types;
    }

    @Test
    void annotationsHaveOnlyAttributesOfOptions() {
        List<String> options = Stream.of(LimitOptions.OF_RULE, RuleOptions.ALL)
                .flatMap(List::stream)
                .map(Option::attribute)
                .toList();

        assertThat(Arrays.stream(RateLimiter.class.getDeclaredMethods())
                        .map(Method::getName)
                        .filter(name -> !List.of("value", "name", "fallback").contains(name)))
                .isSubsetOf(options);
    }
}
