package dev.limiter.spring.aop;

import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.lang.reflect.Method;
import org.junit.jupiter.api.Test;
import org.springframework.util.ReflectionUtils;

class FallbackTests {

    private static final Method LIMITED = ReflectionUtils.findMethod(Service.class, "now");

    @Test
    void saysWhichMethodIsMissing() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Fallback.of(LIMITED, Service.class, "later"))
                .withMessageContaining("needs a method \"String later()\"");
    }

    @Test
    void isNoFallbackOfItself() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Fallback.of(LIMITED, Service.class, "now"))
                .withMessage("It is the limited method itself: name another one, such as \"nowRejected\".");
    }

    @Test
    void isNamedWithoutParentheses() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Fallback.of(LIMITED, Service.class, "later()"))
                .withMessage("It must be the name of a method without parameters: write \"later\".");
    }

    static class Service {

        String now() {
            return "now";
        }
    }
}
