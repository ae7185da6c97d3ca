package dev.limiter.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.limiter.RateLimitExceededException;
import dev.limiter.spring.annotation.RateLimiter;
import java.io.Serializable;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.aopalliance.intercept.MethodInterceptor;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.NameMatchMethodPointcut;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.Banner;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.support.GenericApplicationContext;

/** {@code @RateLimiter} on a type of which no proxy can be made. */
@ExtendWith(OutputCaptureExtension.class)
class FinalTypeTests {

    private static ConfigurableApplicationContext start(Supplier<?> bean, String... arguments) {
        SpringApplication application = new SpringApplication(Application.class);
        application.setWebApplicationType(WebApplicationType.NONE);
        application.setBannerMode(Banner.Mode.OFF);
        application.setRegisterShutdownHook(false);
        application.addInitializers(context -> register((GenericApplicationContext) context, bean.get()));
        return application.run(arguments);
    }

    @SuppressWarnings("unchecked")
    private static <T> void register(GenericApplicationContext context, T bean) {
        context.registerBean("bean", (Class<T>) bean.getClass(), () -> bean);
    }

    static Stream<Object> finalTypes() {
        return Stream.of(new FinalClass(), new Point(1), Constant.ONE, new Sealed.Only());
    }

    @ParameterizedTest
    @MethodSource("finalTypes")
    void isNamedWithWhatToDo(Object bean, CapturedOutput output) {
        assertThat(catchThrowable(() -> start(() -> bean))).isNotNull();
        assertThat(output)
                .contains("[LIM-318]", "@RateLimiter on " + FinalTypeTests.class.getName() + "$")
                .contains("proxy-target-class", "a rule with paths");
    }

    @Test
    void isLimitedThroughItsInterface() {
        try (ConfigurableApplicationContext context =
                start(FinalService::new, "--spring.aop.proxy-target-class=false")) {
            Service service = context.getBean(Service.class);
            service.limited();
            assertThat(catchThrowable(service::limited)).isInstanceOf(RateLimitExceededException.class);
        }
    }

    @Test
    void isTheMatterOfOthersWithoutTheAnnotation(CapturedOutput output) {
        SpringApplication application = new SpringApplication(Application.class);
        application.setWebApplicationType(WebApplicationType.NONE);
        application.addInitializers(context -> {
            register((GenericApplicationContext) context, new Unlimited());
            NameMatchMethodPointcut pointcut = new NameMatchMethodPointcut();
            pointcut.addMethodName("unlimited");
            MethodInterceptor proceed = call -> call.proceed();
            ((GenericApplicationContext) context)
                    .registerBean(
                            DefaultPointcutAdvisor.class,
                            () -> new DefaultPointcutAdvisor(pointcut, proceed),
                            definition -> definition.setRole(BeanDefinition.ROLE_INFRASTRUCTURE));
        });
        assertThat(catchThrowable(application::run)).isNotNull();
        assertThat(output).doesNotContain("LIM-318");
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {}

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
