package dev.limiter.spring.autoconfigure;

import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotatedTypeMetadata;

/** The condition of {@link ConditionalOnSetting}. */
final class SettingCondition extends SpringBootCondition {

    @Override
    public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
        for (MergedAnnotation<ConditionalOnSetting> setting :
                metadata.getAnnotations().stream(ConditionalOnSetting.class).toList()) {
            ConditionMessage.Builder message =
                    ConditionMessage.forCondition(ConditionalOnSetting.class, setting.getString("value"));
            String found = valueOf(setting, context.getEnvironment());
            if (!found.equals(setting.getString("is"))) {
                return ConditionOutcome.noMatch(message.because("it is " + found));
            }
        }
        return ConditionOutcome.match();
    }

    private static String valueOf(MergedAnnotation<ConditionalOnSetting> setting, Environment environment) {
        String missing = setting.getBoolean("matchIfMissing") ? setting.getString("is") : "missing";
        try {
            return Binder.get(environment)
                    .bind(setting.getString("value"), setting.getClass("type"))
                    .map(String::valueOf)
                    .orElse(missing);
        } catch (BindException unreadable) {
            return setting.getString("is");
        }
    }
}
