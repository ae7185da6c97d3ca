package dev.limiter.spring.config;

import dev.limiter.spring.failure.LimiterConfigurationException;
import dev.limiter.spring.failure.Problem;
import java.lang.reflect.Array;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationPropertiesBindHandlerAdvisor;
import org.springframework.boot.context.properties.bind.AbstractBindHandler;
import org.springframework.boot.context.properties.bind.BindContext;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;

/**
 * Continues binding after an error below {@code limiter}, so that one start reports all errors. The bound values are
 * then discarded.
 */
public final class BindProblemCollector implements ConfigurationPropertiesBindHandlerAdvisor {

    @Override
    public BindHandler apply(BindHandler handler) {
        return new Collector(handler);
    }

    private static final class Collector extends AbstractBindHandler {

        /** By name, because an environment variable is read once per spelling of a rule, under equal names. */
        private final Map<ConfigurationPropertyName, Problem> problems = new LinkedHashMap<>();

        private boolean binding;

        Collector(BindHandler parent) {
            super(parent);
        }

        /** Applications may bind their own beans below {@code limiter}; these are left alone. */
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

        /** Spring would convert a number to the enum constant at this position, and drop the fraction of a number. */
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
                if (!(error instanceof LimiterConfigurationException)) {
                    throwProblems(name, context);
                }
                return super.onFailure(name, target, context, error);
            }
            Object value = new PropertyCheck(context).value(name);
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
            throwProblems(name, context);
        }

        /** Throws once everything is bound. */
        private void throwProblems(ConfigurationPropertyName name, BindContext context) {
            if (binding && KnownKeys.ROOT.equals(name)) {
                problems.putAll(new PropertyCheck(context).problems());
                if (!problems.isEmpty()) {
                    throw new LimiterConfigurationException(List.copyOf(problems.values()));
                }
            }
        }

        private boolean isSetting(ConfigurationPropertyName name) {
            return binding && KnownKeys.ROOT.isAncestorOf(name);
        }

        private void addUnreadable(ConfigurationPropertyName name, @Nullable Object value, Bindable<?> target) {
            problems.putIfAbsent(
                    name,
                    BindProblemFactory.unreadable(name, value, target.getType().toClass()));
        }
    }
}
