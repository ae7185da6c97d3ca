package dev.limiter.spring.config;

import org.springframework.boot.context.properties.ConfigurationPropertiesBindHandlerAdvisor;
import org.springframework.boot.context.properties.bind.BindContext;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.util.ClassUtils;

/**
 * Refuses fractions where Limiter needs a whole number: of the number that YAML has read, Spring would cut them off. Also
 * {@code 1.000}, which YAML reads as 1 and its writer may mean as 1000: the value no longer tells the two apart.
 */
public final class WholeNumberBindAdvisor implements ConfigurationPropertiesBindHandlerAdvisor {

    @Override
    public BindHandler apply(BindHandler handler) {
        return new LimiterBindHandler(handler) {
            @Override
            public Object onSuccess(
                    ConfigurationPropertyName name, Bindable<?> target, BindContext context, Object result) {
                ConfigurationProperty property = context.getConfigurationProperty();
                if (property != null && isSetting(name) && isNumber(target)) {
                    check(property.getValue());
                }
                return super.onSuccess(name, target, context, result);
            }
        };
    }

    private static boolean isNumber(Bindable<?> target) {
        return Number.class.isAssignableFrom(
                ClassUtils.resolvePrimitiveIfNecessary(target.getType().toClass()));
    }

    private static void check(Object value) {
        if (value instanceof Double || value instanceof Float) {
            throw new IllegalArgumentException(value + " is not a whole number");
        }
    }
}
