package dev.limiter.spring.config.check;

import dev.limiter.spring.check.Finding;
import dev.limiter.spring.check.StartupCheck;
import dev.limiter.spring.compiled.Rules;
import dev.limiter.spring.config.ConfiguredRules;
import dev.limiter.spring.failure.MessageCode;
import dev.limiter.spring.rule.RuleSource;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.context.ApplicationContext;
import org.springframework.core.env.Environment;

/** Finds rules that only a child context has: it decides by the rules of its parent, which never read them. */
public final class ParentRulesCheck implements StartupCheck {

    /** The properties of which rules are made. */
    private static final List<ConfigurationPropertyName> READ = Stream.of(
                    "rules", "floors", "mode", "web.default-limit", "web.exclude", "web.allow", "web.deny")
            .map(key -> ConfigurationPropertyName.of("limiter." + key))
            .toList();

    private final ApplicationContext context;

    public ParentRulesCheck(ApplicationContext context) {
        this.context = context;
    }

    @Override
    public List<Finding> findings() {
        ApplicationContext parent = context;
        while (parent != null && parent.getBeanNamesForType(Rules.class, true, false).length == 0) {
            parent = parent.getParent();
        }
        if (parent == null || parent == context) {
            return List.of();
        }
        List<String> ignored =
                Stream.concat(properties(parent.getEnvironment()), beans()).toList();
        return ignored.isEmpty()
                ? List.of()
                : List.of(new Finding(
                        MessageCode.PARENT_RULES,
                        String.join(", ", ignored)
                                + (ignored.size() == 1 ? " has" : " have")
                                + " no effect: only a child context has "
                                + (ignored.size() == 1 ? "it" : "them")
                                + ", which decides by the rules of its parent. Write the rules in the properties of"
                                + " the parent, such as application.yml or the arguments of the application."));
    }

    /** The properties of this context that are none of its parent, or others there. */
    private Stream<String> properties(Environment parent) {
        Environment own = context.getEnvironment();
        TreeSet<ConfigurationPropertyName> names = new TreeSet<>();
        for (ConfigurationPropertySource source : ConfigurationPropertySources.get(own)) {
            if (source instanceof IterableConfigurationPropertySource iterable) {
                iterable.stream().filter(ParentRulesCheck::isRead).forEach(names::add);
            }
        }
        return names.stream()
                .filter(name -> !Objects.equals(value(name, own), value(name, parent)))
                .map(ConfigurationPropertyName::toString);
    }

    private static boolean isRead(ConfigurationPropertyName name) {
        return READ.stream().anyMatch(read -> read.equals(name) || read.isAncestorOf(name));
    }

    private static @Nullable Object value(ConfigurationPropertyName name, Environment environment) {
        for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
            ConfigurationProperty property = source.getConfigurationProperty(name);
            if (property != null) {
                return property.getValue();
            }
        }
        return null;
    }

    private Stream<String> beans() {
        return Arrays.stream(context.getBeanNamesForType(RuleSource.class, true, false))
                .filter(name -> !context.isTypeMatch(name, ConfiguredRules.class))
                .map(name -> "the bean " + name);
    }
}
