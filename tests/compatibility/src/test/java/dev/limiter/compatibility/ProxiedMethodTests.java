package dev.limiter.compatibility;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.limiter.RateLimitExceededException;
import dev.limiter.spring.annotation.RateLimiter;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.aop.support.AopUtils;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Import;

/** Annotations on interfaces and classes, with both kinds of proxies. */
@Tag("each-line")
class ProxiedMethodTests {

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void everyBeanIsLimitedWithEachSortOfProxy(boolean targetClass) {
        try (ConfigurableApplicationContext application =
                Applications.startWithoutWeb(Application.class, "spring.aop.proxy-target-class=" + targetClass)) {
            Contract contract = application.getBean(Contract.class);

            assertThat(AopUtils.isJdkDynamicProxy(contract)).isEqualTo(!targetClass);
            assertPermitted(2, contract::byInterface);
            assertPermitted(1, contract::byClass);
        }
    }

    @Test
    void aBeanMayBeOfAFinalClassBehindItsInterface() {
        try (ConfigurableApplicationContext application =
                Applications.startWithoutWeb(FinalApplication.class, "spring.aop.proxy-target-class=false")) {
            assertPermitted(2, application.getBean(Contract.class)::byInterface);
        }
    }

    private static void assertPermitted(int permits, Runnable call) {
        for (int i = 0; i < permits; i++) {
            call.run();
        }
        assertThatThrownBy(call::run).isInstanceOf(RateLimitExceededException.class);
    }

    interface Contract {

        @RateLimiter(limit = 2, window = "1h")
        void byInterface();

        void byClass();
    }

    static class Implementation implements Contract {

        @Override
        public void byInterface() {}

        @Override
        @RateLimiter(limit = 5, window = "1h")
        @RateLimiter(limit = 1, window = "2h")
        public void byClass() {}
    }

    static final class FinalImplementation implements Contract {

        @Override
        public void byInterface() {}

        @Override
        public void byClass() {}
    }

    @SpringBootConfiguration
    @EnableAutoConfiguration
    @Import(Implementation.class)
    static class Application {}

    @SpringBootConfiguration
    @EnableAutoConfiguration
    @Import(FinalImplementation.class)
    static class FinalApplication {}
}
