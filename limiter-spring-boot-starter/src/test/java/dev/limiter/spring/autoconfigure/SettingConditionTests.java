package dev.limiter.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.spring.config.Storage;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

class SettingConditionTests {

    private static ApplicationContextRunner with(String value) {
        ApplicationContextRunner runner = new ApplicationContextRunner().withUserConfiguration(Conditions.class);
        return value.equals("-") ? runner : runner.withPropertyValues("limiter.a=" + value, "limiter.b=" + value);
    }

    @ParameterizedTest
    @CsvSource({
        "true,true,true", "on,true,true", "'true ',true,true", "TRUE,true,true", "1,true,true",
        "false,false,false", "off,false,false", "no,false,false", "0,false,false", "'false ',false,false",
        "-,true,false", "'',true,false", "sure,true,true",
    })
    void isTrueAsWhenItIsBound(String value, boolean unlessFalse, boolean ifTrue) {
        with(value).run(context -> {
            assertThat(context.containsBean("unlessFalse")).isEqualTo(unlessFalse);
            assertThat(context.containsBean("ifTrue")).isEqualTo(ifTrue);
        });
    }

    @ParameterizedTest
    @CsvSource({"redis,true", "REDIS,true", "'redis ',true", "memory,false", "disk,true"})
    void isTheConstantAsWhenItIsBound(String value, boolean matches) {
        with(value).run(context -> assertThat(context.containsBean("onRedis")).isEqualTo(matches));
    }

    @Configuration(proxyBeanMethods = false)
    static class Conditions {

        @Bean
        @ConditionalOnSetting(value = "limiter.a", matchIfMissing = true)
        String unlessFalse() {
            return "unless false";
        }

        @Bean
        @ConditionalOnSetting("limiter.a")
        String ifTrue() {
            return "if true";
        }

        @Bean
        @ConditionalOnSetting(value = "limiter.b", type = Storage.class, is = "REDIS")
        String onRedis() {
            return "on Redis";
        }
    }
}
