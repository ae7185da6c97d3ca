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

/** Resets the clock and the limits before each test, and resolves parameters of type {@link VirtualTimeSource}. */
final class VirtualTimeExtension implements BeforeEachCallback, ParameterResolver {

    @Override
    public void beforeEach(ExtensionContext test) {
        ApplicationContext application = SpringExtension.getApplicationContext(test);
        application.getBeanProvider(RateLimiters.class).ifAvailable(VirtualTimeExtension::rejectWaiters);
        application.getBean(VirtualTimeSource.class).startOver();
        application.getBean(ResettableStorage.class).startOver();
        application.getBeanProvider(Resettable.class).forEach(Resettable::reset);
    }

    private static void rejectWaiters(RateLimiters limiters) {
        limiters.stopWaiting();
        limiters.startWaiting();
    }

    /** Excludes parameters that Spring resolves, because JUnit rejects two resolvers for one parameter. */
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
