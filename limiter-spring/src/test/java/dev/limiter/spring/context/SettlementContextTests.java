package dev.limiter.spring.context;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class SettlementContextTests {

    /** A call outside of requests. */
    private record Call(Object target, Method method, Object[] arguments) implements RateLimitContext {

        @Override
        public @Nullable RequestView request() {
            return null;
        }

        @Override
        public String resource() {
            return "String.charAt";
        }
    }

    @Test
    void outcomeAddsToTheCallAndHidesNothingOfIt() throws Exception {
        Call call = new Call("text", String.class.getMethod("charAt", int.class), new Object[] {1});
        Exception failure = new IllegalStateException();
        SettlementContext settled = new SettlementContext(call, null, "result", failure);

        assertThat(settled.request()).isNull();
        assertThat(settled.resource()).isEqualTo("String.charAt");
        assertThat(settled.target()).isEqualTo("text");
        assertThat(settled.method()).isEqualTo(call.method());
        assertThat(settled.arguments()).containsExactly(1);
        assertThat(settled.result()).isEqualTo("result");
        assertThat(settled.exception()).isSameAs(failure);
        assertThat(settled.answersRequest()).isFalse();
    }

    @Test
    void contextWithoutAMethodIsTheRequestItself() {
        RateLimitContext request = new RateLimitContext() {
            @Override
            public @Nullable RequestView request() {
                return null;
            }

            @Override
            public String resource() {
                return "GET /orders";
            }
        };
        assertThat(request.method()).isNull();
        assertThat(request.target()).isNull();
        assertThat(request.arguments()).isEmpty();
        assertThat(request.answersRequest()).isTrue();
        assertThat(new SettlementContext(request, null, null, null).answersRequest())
                .isTrue();
    }
}
