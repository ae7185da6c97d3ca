package dev.limiter.spring.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.spring.decide.Outcome;
import dev.limiter.testkit.RedisSentinel;
import dev.limiter.testkit.RedisServer;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;

/** Two instances find their server through Sentinel, and that server leaves them: its replica goes on with what was used. */
@Tag("long")
class PromotedReplicaTests extends ChaosSupport {

    /** The answers of a master in its last moment, unknown to its replica: each client gets its permits once more. */
    private static final int UNTOLD = 2 * ClosedLoopLoad.CLIENTS;

    private final RedisSentinel servers = new RedisSentinel();
    private final List<Instance> both =
            List.of(new Instance(Stream.of(servers.properties())), new Instance(Stream.of(servers.properties())));

    @AfterEach
    @Override
    void end() {
        try {
            super.end();
        } finally {
            both.forEach(Instance::close);
            servers.close();
        }
    }

    @Override
    List<Instance> instances() {
        return both;
    }

    @Test
    void forAMasterThatWasKilled(TestInfo test) {
        goesOnAfter(test, RedisServer::kill, killed -> {});
    }

    @Test
    void forAMasterThatStandsStillAndThinksItIsOneWhenItGoesOn(TestInfo test) {
        goesOnAfter(test, RedisServer::pause, RedisServer::resume);
    }

    private void goesOnAfter(TestInfo test, Consumer<RedisServer> event, Consumer<RedisServer> afterwards) {
        long before = load.count("/closed", 200);
        event.accept(servers.master());
        servers.awaitPromotion();
        awaitRedis();
        afterwards.accept(servers.master());
        assertHeld(test, new Permitted(UNTOLD, UNTOLD));
        assertThat(count(Outcome.FAILED_LOCAL)).as("in the meantime").isPositive();
        assertRedisWentOn(before);
    }
}
