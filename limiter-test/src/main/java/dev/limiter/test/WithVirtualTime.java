package dev.limiter.test;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.test.context.junit.jupiter.SpringExtension;

/**
 * Runs a Spring test, such as a {@code @SpringBootTest}, with a {@link VirtualTimeSource}. The test can inject it as an
 * {@code @Autowired} field or as a method parameter.
 *
 * <p>Before each test method, the clock returns to {@link VirtualTimeSource#START}, and all limits, resolved limits and
 * other {@link dev.limiter.spi.Resettable} beans are reset. Limits are always stored in memory, whatever the
 * configuration of the application. Tests that share an application context must not run concurrently.
 */
@Documented
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
@ExtendWith({SpringExtension.class, VirtualTimeExtension.class})
public @interface WithVirtualTime {}
