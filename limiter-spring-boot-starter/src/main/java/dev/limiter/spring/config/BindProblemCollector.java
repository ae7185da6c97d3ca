package dev.limiter.spring.config;

import dev.limiter.spring.failure.LimiterConfigurationException;
import dev.limiter.spring.failure.Problem;
import java.lang.reflect.Array;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationPropertiesBindHandlerAdvisor;
import org.springframework.boot.context.properties.bind.BindContext;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.UnboundConfigurationPropertiesException;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/** Reads on after an unreadable value, so that one start reports all problems; the values read are not used then. */
public final class BindProblemCollector implements ConfigurationPropertiesBindHandlerAdvisor {

    @Override
    public BindHandler apply(BindHandler handler) {
        return new Collector(handler);
    }

    private static final class Collector extends LimiterBindHandler {

        private static final ConfigurationPropertyName KEY_PREFIX = ROOT.append("redis.key-prefix");

        /**
         * The problems by the name of the property: an environment variable is read once for each spelling of a rule.
         */
        private final Map<ConfigurationPropertyName, Problem> problems = new LinkedHashMap<>();

        Collector(BindHandler parent) {
            super(parent);
        }

        @Override
        public @Nullable Object onSuccess(
                ConfigurationPropertyName name, Bindable<?> target, BindContext context, Object result) {
            refuseNumberAsWord(name, target, context, result);
            if (result instanceof String text && isSetting(name) && !name.isLastElementIndexed()) {
                if (name.equals(KEY_PREFIX) && text.equals(RedisSettings.DEFAULT_PREFIX)) {
                    super.onSuccess(name, target, context, result);
                    return null; // an application without a name has the default, too
                }
                refusePlaceholder(name, text, context);
            }
            if (result instanceof List<?> texts && isSetting(name) && !ofPaths(name)) {
                refusePlaceholders(name, texts, context);
            }
            return super.onSuccess(name, target, context, result);
        }

        /** Spring takes a number for the position of a constant. */
        private void refuseNumberAsWord(
                ConfigurationPropertyName name, Bindable<?> target, BindContext context, Object result) {
            ConfigurationProperty property = result instanceof Enum ? context.getConfigurationProperty() : null;
            if (property != null && property.getValue() instanceof Number && isSetting(name)) {
                problems.putIfAbsent(
                        name,
                        BindProblemFactory.unreadable(
                                name, property.getValue(), target.getType().toClass()));
            }
        }

        /** Paths, in which a placeholder may be meant as a variable, are checked later. */
        private static boolean ofPaths(ConfigurationPropertyName name) {
            String key = name.getLastElement(Form.UNIFORM);
            return key.equals("paths") || key.equals("exclude");
        }

        private void refusePlaceholders(ConfigurationPropertyName name, List<?> texts, BindContext context) {
            for (int i = 0; i < texts.size(); i++) {
                ConfigurationPropertyName element = name.append("[" + i + "]");
                if (texts.get(i) instanceof String text) {
                    refusePlaceholder(valueOf(element, context) == null ? name : element, text, context);
                }
            }
        }

        /** Spring leaves a placeholder without a value as it is written; one behind a backslash is text. */
        private void refusePlaceholder(ConfigurationPropertyName name, String text, BindContext context) {
            Problem unresolved = BindProblemFactory.unresolved(name, text);
            ConfigurationProperty property = unresolved == null ? null : valueOf(name, context);
            if (property != null && !String.valueOf(property.getValue()).contains("\\${")) {
                problems.putIfAbsent(name, unresolved);
            }
        }

        @Override
        public @Nullable Object onFailure(
                ConfigurationPropertyName name, Bindable<?> target, BindContext context, Exception error)
                throws Exception {
            if (!isSetting(name)) {
                return super.onFailure(name, target, context, error);
            }
            Class<?> type = target.getType().toClass();
            if (error instanceof UnboundConfigurationPropertiesException unbound) {
                addUnknown(unbound.getUnboundProperties(), context);
            } else {
                ConfigurationProperty section = valueOf(name, context);
                if (section != null && isEmptySection(section)) {
                    return null;
                }
                ConfigurationProperty property = context.getConfigurationProperty();
                ConfigurationProperty written = property == null ? section : property;
                Object value = written == null ? null : resolved(written, context);
                Problem unresolved = value instanceof String text ? BindProblemFactory.unresolved(name, text) : null;
                problems.putIfAbsent(
                        name, unresolved == null ? BindProblemFactory.unreadable(name, value, type) : unresolved);
            }
            return type.isPrimitive() ? Array.get(Array.newInstance(type, 1), 0) : null;
        }

        @Override
        public void onFinish(
                ConfigurationPropertyName name, Bindable<?> target, BindContext context, @Nullable Object result)
                throws Exception {
            try {
                super.onFinish(name, target, context, result);
            } catch (UnboundConfigurationPropertiesException unbound) {
                if (!isEnd(name)) {
                    throw unbound;
                }
                addUnknown(unbound.getUnboundProperties(), context);
            }
            refuseValueInPlaceOfKeys(name, target.getType().toClass(), context, result);
            refuseEmptyVariable(name, context, result);
            if (isEnd(name)) {
                throwIfAny(context);
            }
        }

        private void throwIfAny(BindContext context) {
            refuseValueInPlaceOfAll(context);
            ListedNames.in(context.getSources())
                    .forEach(list -> problems.putIfAbsent(list, BindProblemFactory.list(list)));
            List<Problem> all = new ArrayList<>(problems.values());
            all.addAll(WrittenNames.problems(context.getSources()));
            all.addAll(RepeatedKeys.problems(context.getSources()));
            if (!all.isEmpty()) {
                throw new LimiterConfigurationException(all);
            }
        }

        private void addUnknown(Set<ConfigurationProperty> unbound, BindContext context) {
            unbound.stream()
                    .filter(property -> !isEmptySection(inForce(property, context)))
                    .filter(property -> problems.keySet().stream()
                            .noneMatch(
                                    name -> name.equals(property.getName()) || name.isAncestorOf(property.getName())))
                    .toList()
                    .forEach(property -> addUnknown(property, context));
        }

        /** A number is a position behind the one that begins a list, and told with that. */
        private void addUnknown(ConfigurationProperty property, BindContext context) {
            ConfigurationPropertyName name = property.getName();
            boolean number = BindProblemFactory.isPartOfNumber(property);
            if (!number || !problems.containsKey(name.getParent())) {
                problems.putIfAbsent(number ? name : ShapeAdvice.subject(name), unknown(property, context));
            }
        }

        private static boolean isEmptySection(ConfigurationProperty property) {
            return PropertyNames.isSection(property.getName()) && BindProblemFactory.isEmpty(property.getValue());
        }

        private static Problem unknown(ConfigurationProperty property, BindContext context) {
            ConfigurationProperty inForce = inForce(property, context);
            return BindProblemFactory.unknown(
                    property,
                    inForce,
                    BindProblemFactory.isEmpty(resolved(inForce, context)),
                    replaced(property.getName(), context));
        }

        /** The section around a property of which a source has one value; null if there is none. */
        private static @Nullable ConfigurationPropertyName replaced(
                ConfigurationPropertyName name, BindContext context) {
            ConfigurationPropertyName section = name.getParent();
            while (ROOT.isAncestorOf(section) && valueOf(section, context) == null) {
                section = section.getParent();
            }
            return ROOT.isAncestorOf(section) ? section : null;
        }

        /** The value of a property, with the values of its placeholders. */
        private static @Nullable Object resolved(ConfigurationProperty property, BindContext context) {
            boolean hasPlaceholder = property.getValue() instanceof String text && text.contains("${");
            return hasPlaceholder
                    ? context.getBinder()
                            .bind(property.getName(), Bindable.of(String.class))
                            .orElse("")
                    : property.getValue();
        }

        /** The property in the source that comes first, which may have no value for it where a later one has. */
        private static ConfigurationProperty inForce(ConfigurationProperty property, BindContext context) {
            for (ConfigurationPropertySource source : context.getSources()) {
                ConfigurationProperty first = source.getConfigurationProperty(property.getName());
                if (first != null) {
                    return first;
                }
            }
            return property;
        }

        /** A tier can be a word. A key directly below limiter may stand alone: all of it is commented out. */
        private void refuseValueInPlaceOfKeys(
                ConfigurationPropertyName name, Class<?> type, BindContext context, @Nullable Object result) {
            boolean hasKeys = type == Map.class || type.isRecord() && type != LimiterProperties.Tier.class;
            ConfigurationProperty value = hasKeys && isSetting(name) ? valueOf(name, context) : null;
            if (value == null) {
                return;
            }
            boolean empty = value.getValue() == null || "".equals(value.getValue());
            // without keys in another source, any other value has failed already
            if (empty ? !ROOT.isParentOf(name) : result != null) {
                problems.putIfAbsent(name, BindProblemFactory.unreadable(name, value.getValue(), type));
            }
        }

        /** Of a list or a word, Spring takes no value for none, and hides that of a file. */
        private void refuseEmptyVariable(ConfigurationPropertyName name, BindContext context, @Nullable Object result) {
            boolean none = result == null || result instanceof Collection<?> elements && elements.isEmpty();
            boolean one = isSetting(name) && !PropertyNames.isSection(name);
            ConfigurationProperty value = none && one ? valueOf(name, context) : null;
            if (value != null && isOfVariable(value.getSource()) && BindProblemFactory.isEmpty(value.getValue())) {
                problems.putIfAbsent(name, BindProblemFactory.empty(name));
            }
        }

        private static boolean isOfVariable(@Nullable ConfigurationPropertySource source) {
            return source != null && source.getUnderlyingSource() instanceof SystemEnvironmentPropertySource;
        }

        /** A variable called LIMITER may be the platform's. */
        private void refuseValueInPlaceOfAll(BindContext context) {
            for (ConfigurationPropertySource source : context.getSources()) {
                ConfigurationProperty value = source.getConfigurationProperty(ROOT);
                if (!isOfVariable(source) && value != null && !BindProblemFactory.isEmpty(value.getValue())) {
                    problems.putIfAbsent(ROOT, BindProblemFactory.valueOfAll(value.getValue()));
                }
            }
        }

        private static @Nullable ConfigurationProperty valueOf(ConfigurationPropertyName name, BindContext context) {
            for (ConfigurationPropertySource source : context.getSources()) {
                ConfigurationProperty property = source.getConfigurationProperty(name);
                if (property != null) {
                    return property;
                }
            }
            return null;
        }
    }
}
