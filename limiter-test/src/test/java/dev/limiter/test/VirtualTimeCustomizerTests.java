package dev.limiter.test;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.core.io.support.SpringFactoriesLoader;
import org.springframework.test.context.ContextCustomizerFactory;

/** Tests with {@code @WithVirtualTime} get the time source without further configuration, others keep theirs. */
class VirtualTimeCustomizerTests {

    private final VirtualTimeCustomizerFactory factory = new VirtualTimeCustomizerFactory();

    @Test
    void isFoundBySpring() {
        assertThat(SpringFactoriesLoader.loadFactories(ContextCustomizerFactory.class, null))
                .hasAtLeastOneElementOfType(VirtualTimeCustomizerFactory.class);
    }

    @Test
    void testsWithVirtualTimeCanShareAnApplication() {
        assertThat(factory.createContextCustomizer(Annotated.class, List.of()))
                .isNotNull()
                .isEqualTo(factory.createContextCustomizer(Inheriting.class, List.of()));
    }

    @Test
    void otherTestsAreLeftAlone() {
        assertThat(factory.createContextCustomizer(String.class, List.of())).isNull();
    }

    @WithVirtualTime
    static class Annotated {}

    static class Inheriting extends Annotated {}
}
