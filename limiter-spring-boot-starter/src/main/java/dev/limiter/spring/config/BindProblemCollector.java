package dev.limiter.spring.config;

import dev.limiter.spring.failure.LimiterConfigurationException;
import dev.limiter.spring.failure.Problem;
import java.lang.reflect.Array;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationPropertiesBindHandlerAdvisor;
import org.springframework.boot.context.properties.bind.AbstractBindHandler;
import org.springframework.boot.context.properties.bind.BindContext;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.boot.context.properties.source.UnboundElementsSourceFilter;
import org.springframework.core.env.CompositePropertySource;
import org.springframework.core.env.EnumerablePropertySource;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/**
 * Finds everything below {@code limiter} that cannot be read, and reads on after it, so that one start reports all of
 * it. Unknown keys are problems in files; platforms set variables of their own.
 */
public final class BindProblemCollector implements ConfigurationPropertiesBindHandlerAdvisor {

    @Override
    public BindHandler apply(BindHandler handler) {
        return new Collector(handler);
    }

    private static final class Collector extends AbstractBindHandler {

        private static final UnboundElementsSourceFilter FILES = new UnboundElementsSourceFilter();

        /** One element of a property as it is written, in brackets or not. */
        private static final Pattern ELEMENT = Pattern.compile("\\[[^\\]]*]|[^.\\[\\]]+");

        /** The elements that are read as they are written. */
        private static final Pattern READABLE = Pattern.compile("\\[(?!(true|false)]).*|\\w[\\w-]*");

        private final KnownKeys keys = new KnownKeys();

        /** By property, since an environment variable is read once for each spelling of a rule. */
        private final Map<ConfigurationPropertyName, Problem> problems = new LinkedHashMap<>();

        private boolean binding;

        Collector(BindHandler parent) {
            super(parent);
        }

        /** An application may bind beans of its own below {@code limiter}. */
        @Override
        public <T> @Nullable Bindable<T> onStart(
                ConfigurationPropertyName name, Bindable<T> target, BindContext context) {
            binding |= target.getType().toClass() == LimiterProperties.class;
            return super.onStart(name, target, context);
        }

        @Override
        public @Nullable Object onSuccess(
                ConfigurationPropertyName name, Bindable<?> target, BindContext context, Object result) {
            ConfigurationProperty property = context.getConfigurationProperty();
            if (isSetting(name) && property != null && isMisread(property.getValue(), result)) {
                addUnreadable(name, property.getValue(), target);
            }
            return super.onSuccess(name, target, context, result);
        }

        /** Spring takes a number for the position of a constant, and cuts off the fraction of a number. */
        private static boolean isMisread(Object value, Object result) {
            return result instanceof Enum
                    ? value instanceof Number
                    : result instanceof Number && (value instanceof Double || value instanceof Float);
        }

        @Override
        public @Nullable Object onFailure(
                ConfigurationPropertyName name, Bindable<?> target, BindContext context, Exception error)
                throws Exception {
            if (!isSetting(name)) {
                return super.onFailure(name, target, context, error);
            }
            ConfigurationProperty property = inForce(name, context);
            Object value = property == null ? null : resolved(property, context);
            if (!"".equals(value)) {
                addUnreadable(name, value, target);
            }
            Class<?> type = target.getType().toClass();
            return type.isPrimitive() ? Array.get(Array.newInstance(type, 1), 0) : null;
        }

        @Override
        public void onFinish(
                ConfigurationPropertyName name, Bindable<?> target, BindContext context, @Nullable Object result)
                throws Exception {
            super.onFinish(name, target, context, result);
            if (binding && KnownKeys.ROOT.equals(name)) {
                context.getSources().forEach(source -> check(source, context));
                if (!problems.isEmpty()) {
                    throw new LimiterConfigurationException(List.copyOf(problems.values()));
                }
            }
        }

        private boolean isSetting(ConfigurationPropertyName name) {
            return binding && KnownKeys.ROOT.isAncestorOf(name);
        }

        private void addUnreadable(ConfigurationPropertyName name, @Nullable Object value, Bindable<?> target) {
            add(
                    name,
                    BindProblemFactory.unreadable(name, value, target.getType().toClass()));
        }

        private void add(ConfigurationPropertyName name, Problem problem) {
            problems.putIfAbsent(name, problem);
        }

        private void check(ConfigurationPropertySource source, BindContext context) {
            boolean file = FILES.apply(source);
            boolean variables = source.getUnderlyingSource() instanceof SystemEnvironmentPropertySource;
            if (!(source instanceof IterableConfigurationPropertySource properties) || !file && !variables) {
                return;
            }
            Set<ConfigurationPropertyName> read = new HashSet<>();
            // the sources in a composite one may each have their own spelling
            boolean single = !(source.getUnderlyingSource() instanceof CompositePropertySource);
            for (ConfigurationPropertyName name : properties) {
                if (!KnownKeys.ROOT.equals(name) && !KnownKeys.ROOT.isAncestorOf(name)) {
                    continue;
                }
                KnownKeys.Place place = keys.place(name);
                ConfigurationProperty property = properties.getConfigurationProperty(name);
                if (property != null && place.whole()) {
                    checkValue(property, place, file, context);
                } else if (property != null && file) {
                    addUnknown(property, place);
                }
                if (file && single && !read.add(name)) {
                    add(name, BindProblemFactory.repeated(name));
                }
            }
            if (file && source.getUnderlyingSource() instanceof EnumerablePropertySource<?> written) {
                checkNames(written);
            }
        }

        private void addUnknown(ConfigurationProperty property, KnownKeys.Place place) {
            ConfigurationPropertyName name = property.getName();
            int known = place.name().getNumberOfElements();
            add(
                    place.type().isRecord() ? name.chop(known + 1) : place.name(),
                    BindProblemFactory.unknown(name, place, property.getValue()));
        }

        private void checkValue(
                ConfigurationProperty property, KnownKeys.Place place, boolean file, BindContext context) {
            ConfigurationPropertyName name = place.name();
            if (place.isSection()) {
                // all keys of limiter.rules may be commented out
                boolean isAllowed = isBlank(property.getValue()) && name.getNumberOfElements() <= 2;
                if (file && !isAllowed) {
                    add(name, BindProblemFactory.unreadable(name, property.getValue(), place.type()));
                }
            } else if (property.equals(inForce(name, context))) {
                Object value = resolved(property, context);
                Problem unresolved = unresolved(property, value);
                if (unresolved != null) {
                    problems.put(name, unresolved);
                } else if (isBlank(value) && place.type() != String.class && !(file && place.type() == List.class)) {
                    // Spring Boot would read none, and hide the value of another source
                    problems.put(name, BindProblemFactory.empty(name, property.getValue()));
                }
            }
        }

        /** A placeholder behind a backslash is text. An application without a name has the default prefix too. */
        private static @Nullable Problem unresolved(ConfigurationProperty property, Object value) {
            boolean text =
                    String.valueOf(property.getValue()).contains("\\${") || value.equals(RedisSettings.DEFAULT_PREFIX);
            return text ? null : BindProblemFactory.unresolved(property.getName(), value.toString());
        }

        private static boolean isBlank(@Nullable Object value) {
            return value == null || value.toString().isBlank();
        }

        /** The value of a property, with the values of its placeholders. */
        private static Object resolved(ConfigurationProperty property, BindContext context) {
            boolean hasPlaceholder = property.getValue() instanceof String text && text.contains("${");
            return hasPlaceholder
                    ? context.getBinder()
                            .bind(property.getName(), Bindable.of(String.class))
                            .orElse("")
                    : property.getValue();
        }

        private static @Nullable ConfigurationProperty inForce(ConfigurationPropertyName name, BindContext context) {
            for (ConfigurationPropertySource source : context.getSources()) {
                ConfigurationProperty property = source.getConfigurationProperty(name);
                if (property != null) {
                    return property;
                }
            }
            return null;
        }

        /** Spring Boot leaves other characters out, so that {@code für} and {@code fr} would be one. */
        private void checkNames(EnumerablePropertySource<?> source) {
            for (String property : source.getPropertyNames()) {
                if (property.startsWith("limiter.")) {
                    checkName(property);
                }
            }
        }

        private void checkName(String property) {
            Matcher element = ELEMENT.matcher(property);
            while (element.find()) {
                if (!READABLE.matcher(element.group()).matches()) {
                    String where = property.substring(0, element.end());
                    add(ConfigurationPropertyName.adapt(where, '.'), BindProblemFactory.wrongName(where));
                }
            }
        }
    }
}
