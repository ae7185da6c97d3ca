package dev.limiter.spring.config;

import dev.limiter.spring.failure.LimiterConfigurationException;
import dev.limiter.spring.failure.MessageCode;
import dev.limiter.spring.failure.Problem;
import dev.limiter.spring.rule.RuleDefinition;
import dev.limiter.spring.rule.RuleSource;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.ListableBeanFactory;

/** Collects the rules of the {@link RuleSource} beans, each with the name of its bean for messages. */
public final class RuleSources implements Supplier<List<RuleDefinition>> {

    private final ListableBeanFactory beans;

    public RuleSources(ListableBeanFactory beans) {
        this.beans = beans;
    }

    @Override
    public List<RuleDefinition> get() {
        Map<String, RuleSource> named = BeanFactoryUtils.beansOfTypeIncludingAncestors(beans, RuleSource.class);
        return beans.getBeanProvider(RuleSource.class)
                .orderedStream()
                .flatMap(source -> rules(source, named))
                .toList();
    }

    private static Stream<RuleDefinition> rules(RuleSource source, Map<String, RuleSource> named) {
        String name = named.entrySet().stream()
                .filter(bean -> bean.getValue() == source)
                .map(Map.Entry::getKey)
                .findFirst()
                .orElseGet(() -> source.getClass().getName());
        String place = "the RuleSource bean " + name;
        return rules(source, place).stream().map(rule -> rule.from(place));
    }

    private static Collection<RuleDefinition> rules(RuleSource source, String place) {
        try {
            return source.rules();
        } catch (LimiterConfigurationException invalid) {
            throw invalid.at(where -> where + " of " + place);
        } catch (IllegalArgumentException invalid) {
            LimiterConfigurationException problem = new LimiterConfigurationException(new Problem(
                    MessageCode.IMPOSSIBLE_LIMIT,
                    place,
                    null,
                    "Creating its rules failed: " + invalid.getMessage() + "."));
            problem.initCause(invalid);
            throw problem;
        }
    }
}
