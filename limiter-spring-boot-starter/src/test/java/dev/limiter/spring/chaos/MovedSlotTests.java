package dev.limiter.spring.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.testkit.RedisCluster;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;

/** Two instances use a cluster, in which slots are moved while they are asked for. */
@Tag("long")
class MovedSlotTests extends ChaosSupport {

    private static RedisCluster cluster;
    private static List<Instance> both;

    @BeforeAll
    static void start() {
        cluster = RedisCluster.ofMasters();
        String nodes = "spring.data.redis.cluster.nodes=" + cluster.addresses();
        both = List.of(new Instance(Stream.of(nodes)), new Instance(Stream.of(nodes)));
    }

    @AfterAll
    static void stop() {
        both.forEach(Instance::close);
        cluster.close();
    }

    @Override
    List<Instance> instances() {
        return both;
    }

    @Test
    void statesMoveAlong(TestInfo test) {
        long before = load.count("/closed", 200);
        assertThat(cluster.moveSlots("limiter:{*hmac:*"))
                .as("one for each rule")
                .isEqualTo(2);
        assertHeld(test);
        assertRedisWentOn(before);
    }
}
