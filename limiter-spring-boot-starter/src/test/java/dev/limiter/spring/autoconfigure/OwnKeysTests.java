package dev.limiter.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.ConfigurationPropertiesBindException;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.MapPropertySource;
import org.springframework.validation.Errors;
import org.springframework.validation.Validator;

/** Properties of the application's own below {@code limiter}, which are bound as anywhere else. */
class OwnKeysTests {

    private final ApplicationContextRunner application = new ApplicationContextRunner()
            .withConfiguration(
                    AutoConfigurations.of(LimiterRulesAutoConfiguration.class, LimiterAutoConfiguration.class))
            .withUserConfiguration(Application.class)
            .withPropertyValues("limiter.own-keys=billing", "limiter.billing.tax-rate=0.19");

    @Test
    void areBoundAsTheyAre() {
        application.run(context -> assertThat(context.getBean(Billing.class)).isEqualTo(new Billing(0.19, 30, null)));
        application
                .withInitializer(context -> context.getEnvironment()
                        .getPropertySources()
                        .addFirst(new MapPropertySource("yaml", Map.of("limiter.billing.tax-rate", 0.07))))
                .run(context ->
                        assertThat(context.getBean(Billing.class).taxRate()).isEqualTo(0.07));
    }

    @Test
    void failAsTheyWould() {
        application
                .withPropertyValues("limiter.billing.days=abc")
                .run(context -> assertThat(context)
                        .getFailure()
                        .isInstanceOf(ConfigurationPropertiesBindException.class)
                        .hasStackTraceContaining("limiter.billing.days"));
        application
                .withPropertyValues("limiter.billing.days=400")
                .run(context -> assertThat(context)
                        .getFailure()
                        .isInstanceOf(ConfigurationPropertiesBindException.class)
                        .hasStackTraceContaining("400"));
    }

    @ConfigurationProperties("limiter.billing")
    record Billing(double taxRate, @DefaultValue("30") int days, Integer max) {}

    @Configuration(proxyBeanMethods = false)
    @EnableConfigurationProperties(Billing.class)
    static class Application {

        @Bean
        static Validator configurationPropertiesValidator() {
            return new Validator() {
                @Override
                public boolean supports(Class<?> type) {
                    return type == Billing.class;
                }

                @Override
                public void validate(Object target, Errors errors) {
                    if (((Billing) target).days() > 365) {
                        errors.rejectValue("days", "long", "too long");
                    }
                }
            };
        }
    }
}
