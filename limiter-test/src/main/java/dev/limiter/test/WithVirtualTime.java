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
 * On a Spring test, such as a {@code @SpringBootTest}: its application limits by a {@link VirtualTimeSource}, which the
 * test gets as an {@code @Autowired} field or as a parameter of its methods.
 *
 * <p>Each test method starts at {@link VirtualTimeSource#START}, and finds all buckets full and all concurrency permits
 * free, though the application is the same: states are in memory, whatever the configuration or the application says,
 * and forgotten before each test, as resolved limits are and what other beans of type {@link dev.limiter.spi.Resettable}
 * remember. So tests that share an application must not run at the same time.
 */
@Documented
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
@ExtendWith({SpringExtension.class, VirtualTimeExtension.class})
public @interface WithVirtualTime {}
