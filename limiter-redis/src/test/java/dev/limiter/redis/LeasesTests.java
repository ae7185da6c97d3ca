package dev.limiter.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.Charge;
import dev.limiter.Decision;
import dev.limiter.Limit;
import dev.limiter.Rule;
import dev.limiter.failover.StorageUnavailableException;
import dev.limiter.testkit.Conditions;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Leases from a simulated server. */
@SuppressWarnings("FutureReturnValueIgnored")
class LeasesTests implements Leases.Source, Returns {

    /** The number of values per limit in a reply. */
    private static final int NUMBERS = 6;

    private record Call(int requests, long more, CompletableFuture<LeasedPermits> answer) {}

    private final Rule rule = Rule.of("rule", Limit.fixedWindow(1000, Duration.ofHours(1)));
    private final Charge charge = rule.charge("key");
    private final Leases leases = new Leases(this);
    private final List<Call> calls = new ArrayList<>();
    private long most = 100;

    /** The permits of each refund. */
    private final List<Long> returned = new ArrayList<>();

    @Override
    public CompletableFuture<LeasedPermits> take(Charge charge, int requests, long more) {
        Call call = new Call(requests, more, new CompletableFuture<>());
        calls.add(call);
        return call.answer;
    }

    @Override
    public long most(Charge charge) {
        return most;
    }

    @Override
    public void giveBack(RedisDecision decision, boolean held) {
        returned.add(decision.charge.permits());
    }

    @Override
    public void releaseUnanswered(Charge charge, RemoteRule remote, byte[] hold) {}

    private CompletableFuture<Decision> fetched() {
        return Objects.requireNonNull(leases.fetched(charge));
    }

    /** Replies to a call with a number of permits. */
    private void grant(int call, long permits) {
        RemoteRule remote = new RemoteRule(rule, "", 30_000_000, 10);
        ByteBuffer numbers = ByteBuffer.allocate(8 * NUMBERS);
        for (int i = 0; i < NUMBERS - 1; i++) {
            numbers.putDouble(Duration.ofHours(1).toNanos() / 1000.0);
        }
        // no wait
        numbers.putDouble(0);
        ScriptReply answer = new ScriptReply(1, true, permits, 0, new ServerTime(null), 0, new byte[0], numbers.flip());
        calls.get(call)
                .answer
                .complete(new LeasedPermits(this, charge, remote, answer, System.nanoTime(), calls.get(call).requests));
    }

    private int takeAll() {
        int taken = 0;
        while (leases.kept(charge) != null) {
            taken++;
        }
        return taken;
    }

    @Test
    void theFirstRequestFetchesForLaterOnes() {
        CompletableFuture<Decision> first = fetched();
        assertThat(leases.fetched(charge)).isNull();
        assertThat(leases.kept(charge)).isNull();
        grant(0, 101);
        assertThat(first.join().permitted()).isTrue();
        assertThat(takeAll()).isEqualTo(100);
        assertThat(calls).extracting(Call::more).containsExactly(100L, 50L);
        assertThat(returned).isEmpty();
    }

    @Test
    void moreIsFetchedAtHalfUpToTheCurrentMaximum() {
        fetched();
        grant(0, 101);
        most = 60;
        for (int i = 0; i < 49; i++) {
            leases.kept(charge);
        }
        assertThat(calls).hasSize(1);
        leases.kept(charge);
        assertThat(calls).extracting(Call::requests).containsExactly(1, 0);
        assertThat(calls.get(1).more).isEqualTo(10);
        grant(1, 10);
        assertThat(takeAll()).isEqualTo(60);
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 1, 40})
    void aLeaseThatGotLessPausesBeforeTheNext(long permits) {
        CompletableFuture<Decision> first = fetched();
        long granted = System.nanoTime();
        grant(0, permits);
        assertThat(first.join().permitted()).isEqualTo(permits > 0);
        assertThat(takeAll()).isEqualTo(Math.max(permits - 1, 0));
        int sent = calls.size();
        boolean paused = System.nanoTime() - granted < TimeUnit.MICROSECONDS.toNanos(RemoteRule.PAUSE_MICROS);
        assertThat(sent).isLessThanOrEqualTo(paused ? 1 : 2);
        Conditions.await(() -> leases.fetched(charge) != null);
    }

    @Test
    void aCallThatFailsFailsItsRequestOnly() {
        CompletableFuture<Decision> first = fetched();
        calls.get(0).answer.completeExceptionally(new StorageUnavailableException("gone", null));
        assertThat(first).isCompletedExceptionally();
        Conditions.await(() -> leases.fetched(charge) != null);
        grant(1, 101);
        assertThat(takeAll()).isEqualTo(100);
    }

    @Test
    void thePermitOfARequestThatHasGoneIsRefunded() {
        CompletableFuture<Decision> first = fetched();
        first.cancel(true);
        grant(0, 101);
        assertThat(returned).containsExactly(1L);
        assertThat(takeAll()).isEqualTo(100);
    }

    @Test
    void nothingIsFetchedWithoutALease() {
        most = 0;
        assertThat(leases.fetched(charge)).isNull();
        assertThat(calls).isEmpty();
    }
}
