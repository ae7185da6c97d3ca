package dev.limiter.spring.actuate.endpoint;

import static dev.limiter.spring.actuate.TestRules.live;
import static dev.limiter.spring.actuate.TestRules.rule;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.limiter.Algorithm;
import dev.limiter.RateLimiterFactory;
import dev.limiter.RateLimiters;
import dev.limiter.memory.InMemoryRateLimiterStorage;
import dev.limiter.spring.compile.RateLimitRule;
import dev.limiter.spring.decide.PermitHolders;
import dev.limiter.spring.key.KeyHash;
import dev.limiter.spring.operate.LiveRules;
import dev.limiter.spring.operate.RejectedKeys;
import dev.limiter.spring.rule.RuleDefinition;
import dev.limiter.spring.rule.RuleOptions;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A hash that is no longer known changes no key. */
class KeyReaderTests {

    private static final String HASH = "0123456789abcdef";

    private final AtomicLong now = new AtomicLong(TimeUnit.DAYS.toNanos(20_000));
    private final RateLimiters limiters =
            new RateLimiters(new InMemoryRateLimiterStorage(new RateLimiterFactory(), now::get, 1_000));

    static Stream<RuleDefinition.Builder> rules() {
        return Stream.of(
                rule("test").limit(10L, "1s", null, null, null),
                rule("test").limit(10L, "1s", null, null, null).warmUp("10s"),
                rule("test")
                        .limit(10L, "1s", Algorithm.LEAKY_BUCKET, null, null)
                        .set(RuleOptions.MAX_WAIT, "1s"),
                rule("test").limit(10L, null, Algorithm.CONCURRENCY, null, null));
    }

    @ParameterizedTest
    @MethodSource("rules")
    void forgottenHashCannotBeChanged(RuleDefinition.Builder builder) {
        LiveRules live = live(now::get, builder.set(RuleOptions.KEY, List.of("header:plan")));
        List<RateLimitRule> named = live.named("test");
        KeyHash hash = KeyHash.with("secret");
        HeldPermitReader held = new HeldPermitReader(new PermitHolders(now::get), hash);
        KeyReader keys = new KeyReader(live, limiters, new RejectedKeys(hash), held, hash);

        assertThat(keys.standings(named, HASH, null).toString()).contains("used=false", "note=");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> keys.findToChange(named, HASH, null))
                .withMessageContaining("has no record of a key with this hash");

        RateLimitRule rule = named.get(0);
        limiters.tryAcquire(rule.rule(), keys.find(named, HASH, null).get(rule));

        assertThat(keys.standings(named, HASH, null).toString())
                .contains("used=true")
                .doesNotContain("note=");
        assertThatCode(() -> keys.findToChange(named, HASH, null)).doesNotThrowAnyException();
    }
}
