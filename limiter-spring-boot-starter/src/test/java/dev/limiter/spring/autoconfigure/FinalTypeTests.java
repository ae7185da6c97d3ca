package dev.limiter.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.limiter.RateLimitExceededException;
import dev.limiter.spring.annotation.RateLimiter;
import java.io.Serializable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.NameMatchMethodPointcut;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.ApplicationRunner;
import org.springframework.boot.Banner;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Role;

/** {@code @RateLimiter} on a type of which no proxy can be made. */
@ExtendWith(OutputCaptureExtension.class)
class FinalTypeTests {

    private static void start(Class<?> configuration, String... arguments) {
        SpringApplication application = new SpringApplication(configuration);
        application.setWebApplicationType(WebApplicationType.NONE);
        application.setBannerMode(Banner.Mode.OFF);
        application.setRegisterShutdownHook(false);
        application.run(arguments).close();
    }

    @ParameterizedTest
    @ValueSource(classes = {WithFinal.class, WithRecord.class, WithConstant.class, WithoutConstructor.class})
    void isNamedWithWhatToDo(Class<?> configuration, CapturedOutput output) {
        assertThat(catchThrowable(() -> start(configuration))).isNotNull();

        assertThat(output)
                .contains("[LIM-318]", "@RateLimiter on " + FinalTypeTests.class.getName() + "$")
                .contains("proxy-target-class", "a rule with paths");
    }

    @Test
    void isLimitedThroughItsInterface() {
        start(WithInterface.class, "--spring.aop.proxy-target-class=false");
        assertThat(WithInterface.limited).isTrue();
    }

    @Test
    void isTheMatterOfOthersWithoutTheAnnotation(CapturedOutput output) {
        assertThat(catchThrowable(() -> start(WithOtherAdvice.class))).isNotNull();

        assertThat(output).doesNotContain("LIM-318");
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class WithFinal {

        @Bean
        FinalClass bean() {
            return new FinalClass();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class WithInterface {

        private static boolean limited;

        @Bean
        Service bean() {
            return new FinalService();
        }

        @Bean
        ApplicationRunner calls(Service service) {
            return arguments -> {
                service.limited();
                limited = catchThrowable(service::limited) instanceof RateLimitExceededException;
            };
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class WithRecord {

        @Bean
        Point bean() {
            return new Point(1);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class WithConstant {

        @Bean
        Constant bean() {
            return Constant.ONE;
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class WithoutConstructor {

        @Bean
        Sealed bean() {
            return new Sealed.Only();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class WithOtherAdvice {

        @Bean
        @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
        static DefaultPointcutAdvisor advice() {
            NameMatchMethodPointcut pointcut = new NameMatchMethodPointcut();
            pointcut.addMethodName("unlimited");
            return new DefaultPointcutAdvisor(
                    pointcut, (org.aopalliance.intercept.MethodInterceptor) call -> call.proceed());
        }

        @Bean
        Unlimited bean() {
            return new Unlimited();
        }
    }

    static final class FinalClass {

        @RateLimiter(limit = 2, window = "1h")
        public void limited() {}
    }

    interface Service {

        void limited();
    }

    static final class FinalService implements Service, Serializable {

        @Override
        @RateLimiter(limit = 1, window = "1h")
        public void limited() {}
    }

    record Point(int x) {

        @RateLimiter(limit = 2, window = "1h")
        public void limited() {}
    }

    enum Constant {
        ONE {
            @Override
            public void limited() {}
        };

        @RateLimiter(limit = 2, window = "1h")
        public void limited() {}
    }

    abstract static sealed class Sealed {

        @RateLimiter(limit = 2, window = "1h")
        public void limited() {}

        static final class Only extends Sealed {}
    }

    static final class Unlimited {

        public void unlimited() {}
    }
}
