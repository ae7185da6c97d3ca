package dev.limiter.spring.config;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.spring.annotation.RateLimiter;
import dev.limiter.spring.rule.LimitOptions;
import dev.limiter.spring.rule.MadeUpOption;
import dev.limiter.spring.rule.Option;
import dev.limiter.spring.rule.RuleDefinition;
import dev.limiter.spring.rule.RuleOptions;
import dev.limiter.spring.rule.RuleOrigin;
import dev.limiter.spring.rule.Setting;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.core.ResolvableType;

/** All options of rules and limits can be configured, with the types in which they are bound. */
class BoundOptionsTests {

    private static final RuleOrigin ORIGIN = RuleOrigin.property("limiter.rules.orders");
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

    /** A made-up option needs no changes except where it is declared, bound and used. */
    private record WithSparePermits(
            @Nullable Long limit, @Nullable Integer sparePermits) {}

    @Test
    void aNewOptionIsBoundAndMerged() {
        List<Option<?>> options = new ArrayList<>(LimitOptions.OF_RULE);
        options.add(MadeUpOption.SPARE);

        RuleDefinition strong = definition(new WithSparePermits(5L, 3), options);
        RuleDefinition weak = definition(new WithSparePermits(7L, null), options);

        Setting<Integer> spare = new Setting<>(3, "limiter.rules.orders.spare-permits");
        assertThat(strong.get(MadeUpOption.SPARE)).isEqualTo(spare);
        assertThat(strong.get(LimitOptions.LIMIT)).isEqualTo(new Setting<>(5L, "limiter.rules.orders.limit"));
        assertThat(weak.get(MadeUpOption.SPARE)).isNull();
        assertThat(weak.over(strong).get(MadeUpOption.SPARE)).isEqualTo(spare);
        assertThat(weak.over(strong).value(LimitOptions.LIMIT)).isEqualTo(7);
    }

    private static RuleDefinition definition(Record bound, List<Option<?>> options) {
        return RuleDefinition.builder("orders", ORIGIN)
                .settings(BoundOptions.of(bound, options, ORIGIN))
                .build();
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
