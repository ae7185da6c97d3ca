package dev.limiter.redis.ahead;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.Charge;
import dev.limiter.Decision;
import dev.limiter.Limit;
import dev.limiter.Rule;
import dev.limiter.failover.StorageUnavailableException;
import dev.limiter.redis.script.RedisDecision;
import dev.limiter.redis.script.RemoteRule;
import dev.limiter.redis.script.Returns;
import dev.limiter.redis.script.ScriptAnswer;
import dev.limiter.redis.script.ServerTime;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Callers that have gone by the time a server answers, of a server that this test plays. */
class SharedCallsTests implements SharedCalls.Taker, Returns {

    private static final int PERCENT_AHEAD = 10;

    /** So many numbers the answer has about each limit. */
    private static final int NUMBERS = 6;

    private record Call(int callers, long ahead, CompletableFuture<LeasedPermits> answer) {}

    private final Rule rule = Rule.of("rule", Limit.fixedWindow(1000, Duration.ofHours(1)));
    private final Charge charge = rule.charge("key");
    private final SharedCalls shared = new SharedCalls(this);
    private final List<Call> calls = new ArrayList<>();
    private long ahead;

    /** How many permits each give-back is of. */
    private final List<Long> returned = new ArrayList<>();

    @Override
    public CompletableFuture<LeasedPermits> take(Charge charge, int callers, long ahead) {
        Call call = new Call(callers, ahead, new CompletableFuture<>());
        calls.add(call);
        return call.answer;
    }

    @Override
    public long ahead(Charge charge) {
        return ahead;
    }

    @Override
    public int callsAtOnce(Charge charge) {
        return 1;
    }

    @Override
    public @Nullable Decision refusal(Charge charge) {
        return null;
    }

    @Override
    public void giveBack(RedisDecision decision, boolean held) {
        returned.add(decision.charge.permits());
    }

    @Override
    public void releaseUnanswered(Charge charge, RemoteRule remote, byte[] hold) {}

    private List<CompletableFuture<Decision>> callers(int number, long ahead) {
        this.ahead = ahead;
        return Stream.generate(() -> shared.decide(charge)).limit(number).toList();
    }

    private static void leave(List<CompletableFuture<Decision>> callers) {
        callers.forEach(caller -> caller.cancel(true));
    }

    /** Answers a call with so many permits. */
    private void grant(int call, long permits) {
        int percent = calls.get(call).ahead > 0 ? PERCENT_AHEAD : 0;
        RemoteRule remote = new RemoteRule(rule, "", 30_000_000, percent);
        ByteBuffer numbers = ByteBuffer.allocate(8 * NUMBERS);
        for (int i = 0; i < NUMBERS - 1; i++) {
            numbers.putDouble(Duration.ofHours(1).toNanos() / 1000.0);
        }
        // no wait
        numbers.putDouble(0);
        ScriptAnswer answer = new ScriptAnswer(1, true, permits, new ServerTime(null), 0, new byte[0], numbers.flip());
        calls.get(call)
                .answer
                .complete(new LeasedPermits(this, charge, remote, answer, System.nanoTime(), calls.get(call).callers));
    }

    private static long permitted(List<CompletableFuture<Decision>> callers) {
        return callers.stream()
                .filter(caller -> !caller.isCancelled() && caller.join().permitted())
                .count();
    }

    @ParameterizedTest
    @CsvSource({"true", "false"})
    void nothingIsTakenForWaitersThatHaveGone(boolean answered) {
        callers(1, 0);
        leave(callers(100, 0));
        if (answered) {
            grant(0, 1);
        } else {
            calls.get(0).answer.completeExceptionally(new StorageUnavailableException("gone", null));
        }
        assertThat(calls).hasSize(1);
        CompletableFuture<Decision> next = shared.decide(charge);
        assertThat(calls).extracting(Call::callers).containsExactly(1, 1);
        grant(1, 1);
        assertThat(next.join().permitted()).isTrue();
        assertThat(returned).isEmpty();
    }

    /** Callers that find a permit never stop, so no other set of them would begin. */
    @ParameterizedTest
    @CsvSource({"100, 0, 1", "100, 50, 2", "0, 50, 2"})
    void aLeaseThatHasChangedIsInForceFromTheNextCallOn(long before, long after, int expected) {
        callers(1, before);
        grant(0, 1 + before);
        ahead = after;
        for (int i = 0; i < before / 2 + 2; i++) {
            if (shared.kept(charge) == null) {
                callers(1, after);
            }
        }
        assertThat(calls).hasSize(expected);
        if (expected > 1) {
            assertThat(calls.get(1).ahead).isBetween(1L, after);
        }
    }

    @Test
    void callersAreServedWhenOthersHaveGone() {
        callers(1, 0);
        List<CompletableFuture<Decision>> waiting = callers(100, 0);
        leave(waiting.subList(0, 97));
        grant(0, 1);
        assertThat(calls).extracting(Call::callers).containsExactly(1, 3);
        grant(1, 3);
        assertThat(permitted(waiting)).isEqualTo(3);
        assertThat(returned).isEmpty();
    }

    /** Also where there were not enough for all. */
    @ParameterizedTest
    @CsvSource({"100, 97", "5, 2"})
    void whatWasTakenForCallersThatHaveGoneIsGivenBackAtOnce(long taken, long given) {
        callers(1, 0);
        List<CompletableFuture<Decision>> waiting = callers(100, 0);
        grant(0, 1);
        leave(waiting.subList(0, 97));
        grant(1, taken);
        assertThat(permitted(waiting)).isEqualTo(3);
        assertThat(returned).containsExactly(given);
    }

    @Test
    void noMoreIsKeptAheadForCallersThatHaveGone() {
        callers(1, 7);
        List<CompletableFuture<Decision>> waiting = callers(100, 7);
        grant(0, 1);
        assertThat(calls.get(1).ahead).isEqualTo(7);
        leave(waiting.subList(0, 97));
        grant(1, 107);
        assertThat(permitted(waiting)).isEqualTo(3);
        assertThat(returned).containsExactly(97L);
        shared.giveBackAll(() -> true);
        assertThat(returned).containsExactly(97L, 7L);
    }

    /** The rule by which a key is reset is not that of its tier. */
    @Test
    void whatIsKeptIsFoundByTheNameOfTheRule() {
        callers(1, 7);
        grant(0, 8);
        shared.giveBack("other", "key");
        shared.giveBack("rule", "other");
        assertThat(returned).isEmpty();
        shared.giveBack("rule", "key");
        assertThat(returned).containsExactly(7L);
        assertThat(shared.kept(charge)).isNull();
    }

    @Test
    void whatIsForgottenIsNeitherHadNorGivenBack() {
        callers(1, 7);
        grant(0, 8);
        shared.forget("rule", "other");
        assertThat(shared.kept(charge)).isNotNull();
        shared.forget("rule", "key");
        assertThat(shared.kept(charge)).isNull();
        shared.giveBackAll(() -> true);
        assertThat(returned).isEmpty();
    }
}
