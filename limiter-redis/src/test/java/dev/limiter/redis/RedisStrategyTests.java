package dev.limiter.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.limiter.Algorithm;
import dev.limiter.CompiledLimit;
import dev.limiter.Decision;
import dev.limiter.Limit;
import dev.limiter.RateLimiterFactory;
import dev.limiter.RateLimiterStrategy;
import dev.limiter.Rule;
import dev.limiter.VirtualTime;
import dev.limiter.failover.StorageUnavailableException.Reason;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An algorithm of the application's own in Redis, beside what {@link SameDecisionsTests} compares. */
class RedisStrategyTests {

    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final Limit OWN = Limit.fixedWindow(10, MINUTE).named("idle");
    private static final Limit LOG = Limit.slidingWindowLog(10, MINUTE).named("idle");

    private final VirtualTime time = new VirtualTime();
    private final String prefix = "strategy-" + System.nanoTime();
    private final RedisRateLimiterStorage storage = storage(new IdleStrategy());

    private RedisRateLimiterStorage storage(RateLimiterStrategy own) {
        return RedisStorageProvider.of(time, prefix, new RateLimiterFactory(List.of(own)));
    }

    private Decision take(Limit limit, long permits) {
        return storage.decide(List.of(Rule.of("rule", limit).charge("key", permits)));
    }

    private long keys() {
        return SharedRedis.commands()
                .keys((prefix + "*").getBytes(StandardCharsets.UTF_8))
                .size();
    }

    @Test
    void countsUntilTheKeyIsQuiet() {
        for (int i = 0; i < 10; i++) {
            assertThat(take(OWN, 1).permitted()).isTrue();
            time.advance(Duration.ofSeconds(59));
        }
        assertThat(take(OWN, 1).retryAfter()).contains(Duration.ofSeconds(1));
        time.advance(Duration.ofSeconds(1));
        assertThat(take(OWN, 10).permitted()).isTrue();
        assertThat(take(OWN, 1).permitted()).isFalse();
    }

    @Test
    void permitsGivenBackAreThereAgainAndTheLastLeaveNoState() {
        Decision first = take(OWN, 4);
        Decision second = take(OWN, 6);
        second.giveBack();
        assertThat(take(OWN, 7).permitted()).isFalse();
        assertThat(keys()).isEqualTo(1);
        first.giveBack();
        assertThat(keys()).isZero();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void noPermitIsForgottenWhileInstancesDecideByAnotherAlgorithm(boolean own) {
        take(own ? OWN : LOG, 6);
        assertThat(take(own ? LOG : OWN, 5).permitted()).isFalse();
        assertThat(take(own ? LOG : OWN, 2).permitted()).isTrue();
        assertThat(take(own ? OWN : LOG, 3).permitted()).isFalse();
        assertThat(take(own ? OWN : LOG, 2).permitted()).isTrue();
        assertThat(take(OWN, 1).permitted()).isFalse();
        assertThat(take(LOG, 1).permitted()).isFalse();
        time.advance(MINUTE);
        assertThat(take(own ? OWN : LOG, 10).permitted()).isTrue();
    }

    /** Scripts that do not compile, fail, end early, or answer what is no number: others of the same call are decided. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "left = nil + 1\n-- take\n",
                "left = = 1\n-- take\n",
                "return\n-- take\n",
                "if now then return end\n-- take\n",
                "if now then return 5 end\n-- take\n",
                "left = nil\n-- take\n",
                "left = 'many'\n-- take\n",
                "refusal = 0 / 0\n-- take\n",
                "refusal = -2\n-- take\n",
                "left, reset = 9, 0 / 0\n-- take\n",
                "left = 9\n-- take\nstate, reset, left = 'x', 0, 8\n",
                "left = 9\n-- take\nstate, left = 'x', 8\n",
                "left = 9\n-- take\nstate, reset, left = 'x', 1 / 0, 8\n",
                "left = 9\n-- take\nstate, reset, left, mark = {}, 9, 8, 7\n",
            })
    void aScriptThatFailsFailsAlone(String parts) {
        RedisRateLimiterStorage failing = storage(new Scripted(parts + "-- give back\n"));
        Rule own = Rule.of("own", OWN);
        Rule other = Rule.of("other", Limit.tokenBucket(20, MINUTE));
        assertThatThrownBy(() -> failing.decide(List.of(own.charge("key"))))
                .hasFieldOrPropertyWithValue("reason", Reason.BROKEN_STATE);
        List<CompletableFuture<Decision>> others = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            var unused = failing.decideAsync(List.of(own.charge("key")));
            others.add(failing.decideAsync(List.of(other.charge("key", i % 2 == 0 ? 1 : 0))));
            CompletableFuture<Decision> both = failing.decideAsync(
                    List.of(own.charge("key"), Rule.of("third", OWN).charge("key")));
            assertThat(both).failsWithin(Duration.ofSeconds(10));
        }
        assertThat(others)
                .allSatisfy(decided -> assertThat(decided.join().permitted()).isTrue());
        assertThat(failing.peek(other, "key").remaining()).isEqualTo(10);
    }

    @Test
    void moreTermsThanCanBeToldAreRefused() {
        for (long[] terms : List.of(new long[251], new long[] {(1L << 53) + 1}, new long[] {Long.MIN_VALUE})) {
            RedisStrategy own = new IdleStrategyWith(terms);
            assertThatThrownBy(() ->
                            storage(own).decide(List.of(Rule.of("own", OWN).charge("key"))))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("terms");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "-- take", "x = 1\n-- give back\n-- take\n", " -- take\n-- give back"})
    void aScriptWithoutItsPartsIsRefused(String script) {
        assertThatThrownBy(() -> storage(new Scripted(script)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith(Scripted.class.getName() + ": The script has no line \"-- ");
    }

    @Test
    void aStrategyWithoutAScriptIsRefused() {
        RateLimiterStrategy memoryOnly = new RateLimiterStrategy() {
            @Override
            public Algorithm algorithm() {
                return Algorithm.TOKEN_BUCKET;
            }

            @Override
            public CompiledLimit compile(Limit limit, long now) {
                throw new UnsupportedOperationException();
            }
        };
        assertThatThrownBy(() -> storage(memoryOnly))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("TOKEN_BUCKET")
                .hasMessageContaining("RedisStrategy");
    }

    private record Scripted(String script) implements RedisStrategy {

        @Override
        public Algorithm algorithm() {
            return Algorithm.FIXED_WINDOW;
        }

        @Override
        public CompiledLimit compile(Limit limit, long now) {
            return new IdleStrategy().compile(limit, now);
        }

        @Override
        public long[] terms(Limit limit) {
            return new long[0];
        }
    }

    private record IdleStrategyWith(long[] terms) implements RedisStrategy {

        @Override
        public Algorithm algorithm() {
            return Algorithm.FIXED_WINDOW;
        }

        @Override
        public CompiledLimit compile(Limit limit, long now) {
            return new IdleStrategy().compile(limit, now);
        }

        @Override
        public String script() {
            return IdleStrategy.SCRIPT;
        }

        @Override
        public long[] terms(Limit limit) {
            return terms;
        }
    }
}
