package dev.limiter.benchmarks.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** Each contender limits; needs a {@code redis-server} on this machine. */
class ContendersTests {

    @Test
    void rejectRequestsOverTheLimitOfAKey() throws Exception {
        assumeTrue(LocalRedis.program().isPresent(), "no redis-server on the PATH");
        Contenders.Terms once = new Contenders.Terms("once", 1, Duration.ofHours(1));
        try (LocalRedis server = LocalRedis.start();
                Contenders contenders = new Contenders(server)) {
            List<Supplier<Contender>> all = new ArrayList<>(contenders.ours(once));
            all.add(() -> contenders.held(once));
            all.add(() -> contenders.threeRules(once));
            all.add(() -> contenders.leased(once));
            all.addAll(contenders.peers(once));
            for (Supplier<Contender> next : all) {
                server.commands().flushall();
                Contender contender = next.get();
                assertThat(contender.decider().decide(1)).as(contender.name()).isTrue();
                assertThat(contender.decider().decide(1)).as(contender.name()).isFalse();
                assertThat(contender.decider().decide(2)).as(contender.name()).isTrue();
            }
        }
    }

    @Test
    void permitAgainAfterARelease() throws Exception {
        assumeTrue(LocalRedis.program().isPresent(), "no redis-server on the PATH");
        try (LocalRedis server = LocalRedis.start();
                Contenders contenders = new Contenders(server)) {
            Contender released = contenders.released(new Contenders.Terms("one", 1, Duration.ofHours(1)));
            for (int i = 0; i < 10; i++) {
                assertThat(released.decider().decide(1)).isTrue();
            }
        }
    }
}
