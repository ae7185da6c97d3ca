package dev.limiter.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.limiter.Charge;
import dev.limiter.Decision;
import dev.limiter.Limit;
import dev.limiter.RateLimiterStorage;
import dev.limiter.Rule;
import dev.limiter.failover.StorageUnavailableException.Reason;
import io.lettuce.core.KeyScanCursor;
import io.lettuce.core.ScanArgs;
import io.lettuce.core.ScanCursor;
import io.lettuce.core.api.sync.RedisCommands;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Period;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** After any use, a state expires soon after its last permit counts. */
class ExpiryTests {

    private static final Duration HOUR = Duration.ofHours(1);

    /** The reply of a server for a key without expiry. */
    private static final long NEVER = -1;

    private final String prefix = "expiry-" + System.nanoTime();

    /** Uses the clock of the server, so that expiry follows from the use. */
    private final RateLimiterStorage storage = RedisStorageProvider.of(null, prefix);

    private final RedisCommands<byte[], byte[]> commands = SharedRedis.commands();

    static Stream<Limit> limits() {
        return Stream.of(
                Limit.tokenBucket(10, HOUR),
                Limit.tokenBucket(10, HOUR).warmUp(HOUR),
                Limit.leakyBucket(10, HOUR),
                Limit.leakyBucket(10, HOUR).paced(),
                Limit.fixedWindow(10, HOUR),
                Limit.fixedWindow(10, HOUR).alignFirst(),
                Limit.calendarWindow(10, Period.ofDays(1), ZoneOffset.UTC),
                Limit.slidingWindowCounter(10, HOUR),
                Limit.slidingWindowLog(10, HOUR),
                Limit.concurrency(10));
    }

    /** Returns the name of a state of the key "key". */
    private byte[] name(Rule rule, Limit limit) {
        return (prefix + ":{" + rule.name() + ":key}" + limit.name()).getBytes(StandardCharsets.UTF_8);
    }

    private void assertExpires(byte[] key) {
        assertThat(commands.pttl(key))
                .as(new String(key, StandardCharsets.UTF_8))
                .isNotEqualTo(NEVER);
    }

    private void assertExpires(Rule rule) {
        rule.limits().forEach(limit -> assertExpires(name(rule, limit)));
    }

    private void use(Rule rule) {
        List<Decision> taken = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            Charge charge = rule.charge("key", 1 + i % 2);
            taken.add(storage.decide(List.of(i < 4 ? charge : charge.maxWait(HOUR.multipliedBy(3)))));
            assertExpires(rule);
        }
        for (Decision decision : taken) {
            decision.giveBack();
            storage.peek(rule, "key");
            storage.decide(List.of(rule.charge("key")));
            assertExpires(rule);
        }
    }

    @ParameterizedTest
    @MethodSource("limits")
    void everyStateExpiresHoweverItIsUsed(Limit limit) {
        use(Rule.of("rule", limit));
    }

    /** A request that returns its permit leaves no more state than before. */
    @Test
    void aBucketWithAllPermitsRefundedIsDeleted() {
        Rule rule = Rule.of("refunded", Limit.tokenBucket(5, HOUR));
        storage.decide(rule, "key", 2).giveBack();
        assertThat(commands.exists(name(rule, rule.limits().get(0)))).isZero();
    }

    @ParameterizedTest
    @MethodSource("limits")
    void everyStateExpiresWhenTheAlgorithmChanges(Limit limit) {
        limits().forEach(other -> {
            use(Rule.of("rule", other));
            use(Rule.of("rule", limit));
        });
    }

    @ParameterizedTest
    @MethodSource("limits")
    void expiresSoonAfterItIsFreshAndNotBefore(Limit limit) {
        Rule rule = Rule.of("soon", limit);
        long asked = System.nanoTime();
        Decision decision = storage.decide(List.of(rule.charge("key")));
        long used = limit instanceof Limit.Concurrency
                ? PermitRenewals.MICROS / 1000
                : decision.resetAfter().toMillis();
        long left = commands.pttl(name(rule, limit));
        long since = (System.nanoTime() - asked) / 1_000_000 + 1;
        assertThat(left).isBetween(used + 1000 - since, used + used / 2 + 2001);
    }

    /** The state of the next limit is invalid, so the request fails halfway. */
    @ParameterizedTest
    @MethodSource("limits")
    void everyStateExpiresWhenTheRequestFailsAtAnotherLimit(Limit limit) {
        Limit other = Limit.tokenBucket(10, HOUR).named("b");
        byte[] text = "text".getBytes(StandardCharsets.UTF_8);
        limits().forEach(from -> {
            Rule rule = Rule.of("half " + from, limit.named("a"), other);
            storage.decide(List.of(Rule.of(rule.name(), from.named("a")).charge("key", 2)));
            commands.setex(name(rule, other), 600, text);
            assertThatThrownBy(() -> storage.decide(List.of(rule.charge("key"))))
                    .hasFieldOrPropertyWithValue("reason", Reason.BROKEN_STATE);
        });
        assertThat(commands.keys((prefix + "*").getBytes(StandardCharsets.UTF_8)))
                .hasSizeGreaterThan(10)
                .allSatisfy(this::assertExpires);
    }

    @Test
    void statesOfAllTestsExpire() {
        use(Rule.of(
                "rule",
                Limit.tokenBucket(10, HOUR).named("a"),
                Limit.slidingWindowLog(10, HOUR).named("b")));
        long keys = 0;
        for (ScanCursor cursor = ScanCursor.INITIAL; !cursor.isFinished(); ) {
            KeyScanCursor<byte[]> page = commands.scan(cursor, ScanArgs.Builder.limit(1000));
            page.getKeys().forEach(this::assertExpires);
            keys += page.getKeys().size();
            cursor = page;
        }
        assertThat(keys).isGreaterThanOrEqualTo(2);
    }
}
