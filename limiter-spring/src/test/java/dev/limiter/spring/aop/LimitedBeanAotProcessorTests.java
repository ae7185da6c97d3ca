package dev.limiter.spring.aop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.RateLimitExceededException;
import dev.limiter.spring.annotation.RateLimiter;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.aot.generate.ClassNameGenerator;
import org.springframework.aot.generate.DefaultGenerationContext;
import org.springframework.aot.generate.GenerationContext;
import org.springframework.aot.generate.InMemoryGeneratedFiles;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.beans.factory.aot.AotServices;
import org.springframework.beans.factory.aot.BeanRegistrationAotContribution;
import org.springframework.beans.factory.aot.BeanRegistrationAotProcessor;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.beans.factory.support.RegisteredBean;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.javapoet.ClassName;

/** Limited methods, their expressions and fallbacks work in native images. */
class LimitedBeanAotProcessorTests {

    @Test
    void isFoundBySpring() {
        assertThat(AotServices.factories().load(BeanRegistrationAotProcessor.class))
                .hasAtLeastOneElementOfType(LimitedBeanAotProcessor.class);
    }

    @Test
    void limitedMethodsCanBeFoundAndCalled() throws Exception {
        RuntimeHints hints = hintsOf(Orders.class);

        assertThat(RuntimeHintsPredicates.reflection()
                        .onMethod(Orders.class.getMethod("order", List.class, Customer.class))
                        .invoke())
                .accepts(hints);
        assertThat(RuntimeHintsPredicates.reflection()
                        .onMethod(Orders.class.getMethod("free", Free.class))
                        .invoke())
                .rejects(hints);
    }

    @Test
    void expressionsCanSeeArgumentsAndResults() throws Exception {
        RuntimeHints hints = hintsOf(Orders.class);

        for (Class<?> visible : List.of(List.class, Customer.class, Receipt.class)) {
            assertThat(RuntimeHintsPredicates.reflection()
                            .onType(visible)
                            .withMemberCategory(MemberCategory.INVOKE_PUBLIC_METHODS))
                    .accepts(hints);
        }
        assertThat(RuntimeHintsPredicates.reflection()
                        .onMethod(Plan.class.getMethod("name"))
                        .invoke())
                .as("a property of a property")
                .accepts(hints);
        assertThat(RuntimeHintsPredicates.reflection()
                        .onMethod(Item.class.getMethod("price"))
                        .invoke())
                .as("a property of an element")
                .accepts(hints);
        assertThat(RuntimeHintsPredicates.reflection().onType(Free.class)).rejects(hints);
    }

    @Test
    void fallbackCanBeCalledWhereverTheAnnotationStands() throws Exception {
        RuntimeHints hints = hintsOf(Orders.class);

        assertThat(RuntimeHintsPredicates.reflection()
                        .onMethod(Orders.class.getDeclaredMethod(
                                "later", List.class, Customer.class, RateLimitExceededException.class))
                        .invoke())
                .accepts(hints);
    }

    @Test
    void otherBeansAreLeftAlone() {
        assertThat(contribution(Free.class)).isNull();
    }

    private static RuntimeHints hintsOf(Class<?> bean) {
        GenerationContext context = new DefaultGenerationContext(
                new ClassNameGenerator(ClassName.get("dev.limiter", "Application")), new InMemoryGeneratedFiles());
        contribution(bean).applyTo(context, null);
        return context.getRuntimeHints();
    }

    private static @Nullable BeanRegistrationAotContribution contribution(Class<?> bean) {
        DefaultListableBeanFactory beans = new DefaultListableBeanFactory();
        beans.registerBeanDefinition("bean", new RootBeanDefinition(bean));
        return new LimitedBeanAotProcessor().processAheadOfTime(RegisteredBean.of(beans, "bean"));
    }

    record Customer(Plan plan) {}

    record Plan(String name) {}

    record Item(long price) {}

    record Receipt(long number) {}

    static class Free {}

    interface Contract {

        @RateLimiter(limit = 1, key = "#customer.plan.name", cost = "#items.size()", fallback = "later")
        Receipt order(List<Item> items, Customer customer);
    }

    static class Orders implements Contract {

        @Override
        public Receipt order(List<Item> items, Customer customer) {
            return new Receipt(1);
        }

        public void free(Free free) {}

        Receipt later(List<Item> items, Customer customer, RateLimitExceededException rejection) {
            return new Receipt(0);
        }
    }
}
