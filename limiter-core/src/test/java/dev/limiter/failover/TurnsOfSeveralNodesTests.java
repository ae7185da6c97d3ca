package dev.limiter.failover;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.Charge;
import dev.limiter.Decision;
import dev.limiter.Limit;
import dev.limiter.RateLimiterFactory;
import dev.limiter.RateLimiterStorage;
import dev.limiter.RateLimiters;
import dev.limiter.Rule;
import dev.limiter.VirtualTime;
import dev.limiter.memory.InMemoryRateLimiterStorage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A turn granted in one place is lost if another place rejects the request, because later turns do not move up. So a
 * request waits only if one place decides all of it.
 */
class TurnsOfSeveralNodesTests {

    private static final int USERS = 40;
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration BEHIND = Duration.ofSeconds(4);
    private static final Duration LONG = Duration.ofSeconds(30);
    private static final Duration HOUR = Duration.ofHours(1);

    private final VirtualTime time = new VirtualTime();
    private final ScriptedStorage remote = new ScriptedStorage(time);
    private final RateLimiterStorage local = new InMemoryRateLimiterStorage(new RateLimiterFactory(), time, 1000);
    private final FailoverRateLimiterStorage storage =
            FailoverRateLimiterStorage.builder(remote, local).timeSource(time).build();
    private final Rule user = paced("user", 1);
    private final Rule all = paced("all", 10);
    private final Rule other = Rule.of("other", Limit.fixedWindow(1000, Duration.ofHours(1)));

    private static Rule paced(String name, int perSecond) {
        return Rule.of(name, Limit.leakyBucket(perSecond, SECOND).burst(100).paced());
    }

    private Decision decide(boolean later, Charge... charges) {
        List<Charge> waiting =
                List.of(charges).stream().map(charge -> charge.maxWait(LONG)).toList();
        return later ? storage.decideAsync(waiting).join() : storage.decide(waiting);
    }

    /** Moves the next turn of a user to four seconds from now. */
    private void fill(String key) {
        assertThat(remote.shared
                        .decide(List.of(user.charge(key, 4).maxWait(LONG)))
                        .permitted())
                .isTrue();
        assertThat(remote.shared.peek(user, key).retryAfter()).contains(BEHIND);
    }

    private void lose(String node) {
        remote.fail(node);
        for (int i = 0; i < 20; i++) {
            storage.decide(List.of(other.charge(node + ":lost")));
        }
        int callsBefore = remote.calls.get();
        storage.decide(List.of(other.charge(node + ":lost")));
        assertThat(remote.calls).hasValue(callsBefore);
    }

    private static void assertRejectedFor(Decision decision, Duration wait) {
        assertThat(decision.permitted()).isFalse();
        assertThat(decision.retryAfter()).contains(wait);
        assertThat(decision.delay()).isZero();
    }

    private static void await(long end, BooleanSupplier condition) {
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime() - end).isNegative();
            Thread.onSpinWait();
        }
    }

    private void assertPermittedOneByOne(boolean later) {
        assertThat(decide(later, user.charge("a:new"), all.charge("b:all")).permitted())
                .isTrue();
        assertRejectedFor(decide(later, user.charge("a:another"), all.charge("b:all")), Duration.ofMillis(100));
        assertUnused(remote.shared, user, "a:another");
    }

    private void assertUnused(RateLimiterStorage storage, Rule rule, String key) {
        assertThat(storage.peek(rule, key).resetAfter()).isZero();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void areNotGrantedByTwoNodes(boolean later) {
        remote.cluster();
        for (int i = 0; i < USERS; i++) {
            fill("a:user" + i);
            assertRejectedFor(decide(later, user.charge("a:user" + i), all.charge("b:all")), BEHIND);
            assertUnused(remote.shared, all, "b:all");
        }
        assertPermittedOneByOne(later);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void areNotGrantedByANodeAndMemory(boolean later) {
        remote.cluster();
        lose("b");
        fill("a:user");
        assertRejectedFor(decide(later, user.charge("a:user"), all.charge("b:all")), BEHIND);
        assertUnused(local, all, "b:all");
        assertPermittedOneByOne(later);
    }

    /** Each charge has its own call, because one of their states is broken. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void areNotGrantedByTwoCallsToOneNode(boolean later) {
        remote.breakState("broken");
        fill("user");
        assertRejectedFor(decide(later, other.charge("broken"), user.charge("user"), all.charge("all")), BEHIND);
        assertUnused(remote.shared, all, "all");
        assertThat(decide(later, other.charge("broken"), user.charge("new"), all.charge("all"))
                        .permitted())
                .isTrue();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void areGrantedByOneNodeOfSeveral(boolean later) {
        remote.cluster();
        fill("a:user");
        Decision decision = decide(later, user.charge("a:user"), all.charge("a:all"));
        assertThat(decision.permitted()).isTrue();
        assertThat(decision.delay()).isEqualTo(BEHIND);
        assertThat(decision.parts()).extracting(Decision::delay).containsExactly(BEHIND, Duration.ZERO);
        assertThat(remote.shared.peek(all, "a:all").retryAfter()).contains(Duration.ofMillis(100));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void areGrantedByMemoryAlone(boolean later) {
        remote.cluster();
        lose("a");
        lose("b");
        assertThat(decide(later, user.charge("a:user"), all.charge("b:all")).delay())
                .isZero();
        Decision second = decide(later, user.charge("a:user"), all.charge("b:all"));
        assertThat(second.permitted()).isTrue();
        assertThat(second.parts()).extracting(Decision::delay).containsExactly(SECOND, Duration.ofMillis(100));
    }

    /** A wait for a release has no turn: nothing is taken before it. */
    @Test
    void requestThatWaitsForAReleaseIsPermittedWhenAllAreAvailable() throws Exception {
        remote.cluster();
        Rule pool = Rule.of("pool", Limit.concurrency(1));
        Decision held = remote.shared.decide(List.of(pool.charge("a:pool")));
        try (RateLimiters limiters = new RateLimiters(storage)) {
            CompletableFuture<Decision> answer = limiters.acquireAsync(
                    List.of(
                            pool.charge("a:pool").maxWait(LONG),
                            all.charge("b:all").maxWait(LONG)),
                    () -> true);
            long end = System.nanoTime() + Duration.ofMinutes(4).toNanos();
            await(end, () -> limiters.waiting() == 1);
            // a poll holds its permit until both replies have arrived
            await(end, () -> remote.shared.peek(all, "b:all").resetAfter().isZero());
            // others may take it in the meantime
            await(end, () -> remote.shared.decide(List.of(all.charge("b:all"))).permitted());
            int callsBefore = remote.calls.get();
            await(end, () -> remote.calls.get() > callsBefore + 10);
            assertThat(answer).isNotDone();
            held.close();
            int released = remote.calls.get();
            await(end, () -> remote.calls.get() > released + 10);
            assertThat(answer).isNotDone();
            time.advance(SECOND);
            Decision decision = answer.get(1, TimeUnit.MINUTES);
            assertThat(decision.permitted()).isTrue();
            assertThat(decision.delay()).isZero();
        }
    }

    /** Memory decides on the pool, a node on the rest. */
    @Test
    void aReleaseServesRequestsThatWaitForThatKey() throws Exception {
        remote.cluster();
        lose("a");
        Rule pool = Rule.of("pool", Limit.concurrency(1));
        List<Decision> held = Stream.of("a:first", "a:second")
                .map(key -> storage.decide(List.of(pool.charge(key))))
                .toList();
        try (RateLimiters limiters = new RateLimiters(storage)) {
            List<CompletableFuture<Decision>> answers = new ArrayList<>();
            for (String key : List.of("a:first", "a:second")) {
                answers.add(limiters.acquireAsync(
                        List.of(
                                pool.charge(key).maxWait(HOUR),
                                other.charge("b:other").maxWait(HOUR)),
                        () -> true));
                int waiting = answers.size();
                await(System.nanoTime() + Duration.ofMinutes(4).toNanos(), () -> limiters.waiting() == waiting);
            }
            held.get(1).close();
            assertThat(answers.get(1).get(1, TimeUnit.MINUTES).permitted()).isTrue();
            assertThat(answers.get(0)).isNotDone();
        }
    }
}
