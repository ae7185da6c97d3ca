package dev.limiter.redis;

import static dev.limiter.testkit.Conditions.await;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.Charge;
import dev.limiter.Limit;
import dev.limiter.Rule;
import dev.limiter.VirtualTime;
import dev.limiter.spi.ReleaseListeners;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Failed releases are kept, up to a number, and sent again. */
class RetryingPermitReleaserTests {

    /** Two servers, either of which may fail or hang. */
    private static final class Servers implements Redis {

        private final AtomicInteger done = new AtomicInteger();
        private final Queue<CompletableFuture<byte[]>> unanswered = new ConcurrentLinkedQueue<>();
        private volatile boolean failing;
        private volatile boolean secondAnswers = true;

        @Override
        public CompletionStage<byte[]> run(Script script, byte[][] keys, byte[]... arguments) {
            if (slot(keys[0]) == 1 && !secondAnswers) {
                CompletableFuture<byte[]> answer = new CompletableFuture<>();
                unanswered.add(answer);
                return answer;
            }
            if (failing) {
                return CompletableFuture.failedFuture(new IllegalStateException("failing"));
            }
            done.incrementAndGet();
            return CompletableFuture.completedFuture(new byte[0]);
        }

        @Override
        public int slot(byte[] key) {
            return new String(key, UTF_8).contains("second") ? 1 : 0;
        }

        @Override
        public boolean isClustered() {
            return true;
        }

        @Override
        public String node(int slot) {
            return "server " + slot;
        }

        @Override
        public void close() {}
    }

    private final Servers servers = new Servers();
    private final StorageStatistics statistics = new StorageStatistics();
    private final Rule rule = Rule.of("pool", Limit.concurrency(5));
    private final RemoteRule remote = new RemoteRule(rule, "limiter:", PermitRenewals.MICROS, 0);
    private final ServerTime time = new ServerTime(new VirtualTime());
    private final PermitRenewals renewals = new PermitRenewals(servers, time);
    private final RetryingPermitReleaser releaser = new RetryingPermitReleaser(
            servers, statistics, time, renewals, new KnownRejections(), new ReleaseListeners());

    @AfterEach
    void close() {
        releaser.close();
    }

    private void release(String key) {
        Charge charge = rule.charge(key);
        releaser.releaseUnanswered(charge, remote, renewals.newName());
    }

    @Test
    void releasesAboveTheBoundDoNotPreventLaterRetries() {
        servers.failing = true;
        int dropped = FailedReleases.MOST_KEPT + 1;
        for (int i = 0; i < FailedReleases.MOST_KEPT + dropped; i++) {
            release("first");
        }
        servers.failing = false;
        // a round in progress may still lose some
        await(() -> servers.done.get() + statistics.lostReturns() == FailedReleases.MOST_KEPT + dropped);
        int lost = (int) statistics.lostReturns();
        assertThat(lost).isGreaterThan(FailedReleases.MOST_KEPT / 2);

        servers.failing = true;
        release("first");
        servers.failing = false;
        await(() -> servers.done.get() == FailedReleases.MOST_KEPT + dropped - lost + 1);
        assertThat(statistics.lostReturns()).isEqualTo(lost);
    }

    @Test
    void releasesOfAServerThatHangsBlockNoOthers() {
        servers.failing = true;
        release("second");
        release("first");
        servers.secondAnswers = false;
        servers.failing = false;
        await(() -> !servers.unanswered.isEmpty());
        await(() -> servers.done.get() == 1);

        servers.failing = true;
        release("first");
        servers.failing = false;
        await(() -> servers.done.get() == 2);
    }
}
