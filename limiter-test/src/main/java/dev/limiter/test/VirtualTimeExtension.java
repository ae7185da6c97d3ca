package dev.limiter.test;

import dev.limiter.RateLimiters;
import dev.limiter.spi.Resettable;
import java.lang.reflect.Method;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.springframework.context.ApplicationContext;
import org.springframework.test.context.junit.jupiter.SpringExtension;

/** Starts time over before each test, and hands the clock to methods that ask for it. */
final class VirtualTimeExtension implements BeforeEachCallback, ParameterResolver {

    @Override
    public void beforeEach(ExtensionContext test) {
        ApplicationContext application = SpringExtension.getApplicationContext(test);
        application.getBeanProvider(RateLimiters.class).ifAvailable(VirtualTimeExtension::sendWaitersAway);
        application.getBean(VirtualTimeSource.class).startOver();
        application.getBean(ResettableStorage.class).startOver();
        application.getBeanProvider(Resettable.class).forEach(Resettable::reset);
    }

    private static void sendWaitersAway(RateLimiters limiters) {
        limiters.stopWaiting();
        limiters.startWaiting();
    }

    /**
     * Leaves parameters to Spring that it resolves itself: JUnit takes two resolvers of one parameter for a mistake.
     */
    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext test) {
        return parameter.getParameter().getType() == VirtualTimeSource.class
                && !new SpringExtension().supportsParameter(parameter, test)
                && parameter.getDeclaringExecutable() instanceof Method;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext test) {
        return SpringExtension.getApplicationContext(test).getBean(VirtualTimeSource.class);
    }
}
