package dev.limiter.compatibility;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.SpringBootVersion;
import org.springframework.context.ApplicationContext;

@Tag("each-line")
@SharedApplication
class ApplicationStartTests {

    @Autowired
    private ApplicationContext context;

    @Test
    void runsOnTheLineOfItsModule() {
        assertThat(SpringBootVersion.getVersion()).isEqualTo(System.getProperty("expected.spring-boot.version"));
    }

    @Test
    void namesOfBeansStartWithLimiter() {
        Map<String, Object> beans = context.getBeansOfType(Object.class, false, false);

        assertThat(Arrays.stream(context.getBeanDefinitionNames()))
                .filteredOn(name -> isOurs(beans.get(name)))
                .isNotEmpty()
                .allMatch(name -> name.startsWith("limiter"));
    }

    /** Auto-configurations themselves are named for their class, as is the clock that tests import. */
    private static boolean isOurs(Object bean) {
        if (bean == null) {
            return false;
        }
        String name = bean.getClass().getName();
        return name.startsWith("dev.limiter.")
                && !name.startsWith("dev.limiter.compatibility.")
                && !name.startsWith("dev.limiter.test.")
                && !name.startsWith("dev.limiter.spring.autoconfigure.");
    }
}
