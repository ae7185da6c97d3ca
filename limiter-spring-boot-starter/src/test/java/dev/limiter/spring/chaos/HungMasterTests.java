package dev.limiter.spring.chaos;

import static dev.limiter.testkit.Conditions.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.Decision;
import dev.limiter.Limit;
import dev.limiter.OnFailure;
import dev.limiter.Rule;
import dev.limiter.testkit.RedisCluster;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** If one of three masters of a cluster hangs, keys on the others are still decided in Redis. */
@Tag("long")
class HungMasterTests {

    private static final Rule RULE = Rule.of("rule", Limit.fixedWindow(1_000_000, Duration.ofDays(100)));
    private static final List<String> KEYS =
            IntStream.range(0, 60).mapToObj(i -> "key" + i).toList();

    private static RedisCluster cluster;
    private static Instance instance;

    @BeforeAll
    static void start() {
        cluster = RedisCluster.ofMasters();
        instance = new Instance(Stream.of("spring.data.redis.cluster.nodes=" + cluster.addresses()));
    }

    @AfterAll
    static void stop() {
        cluster.masters().get(0).resume();
        instance.close();
        cluster.close();
    }

    private static boolean isHung(String key) {
        return RedisCluster.masterOf("limiter:{rule:" + key + "}") == 0;
    }

    /** The number of keys that were decided in memory, by whether their master hangs. */
    private static Map<Boolean, Long> decidedInMemory() {
        return KEYS.stream()
                .collect(Collectors.groupingBy(
                        HungMasterTests::isHung,
                        Collectors.filtering(
                                key -> instance.limiters()
                                        .tryAcquire(RULE, key)
                                        .onFailure()
                                        .isPresent(),
                                Collectors.counting())));
    }

    @Test
    void onlyKeysOfTheHungMasterAreDecidedInMemory() {
        await(() -> decidedInMemory().equals(Map.of(true, 0L, false, 0L)));
        long hung = KEYS.stream().filter(HungMasterTests::isHung).count();

        cluster.masters().get(0).pause();
        await(() -> decidedInMemory().equals(Map.of(true, hung, false, 0L)));
        assertThat(instance.hasGivenUpRedis()).isTrue();
        long late = 0;
        for (int i = 0; i < 20; i++) {
            late += decidedInMemory().get(false);
        }
        // a busy machine may occasionally be late
        assertThat(late).isLessThan(20 * (KEYS.size() - hung) / 10);
        assertThat(both().parts()).hasSize(2);

        cluster.masters().get(0).resume();
        await(() -> decidedInMemory().equals(Map.of(true, 0L, false, 0L)));
    }

    /** A request with a key on the hung master and one elsewhere is decided in memory and in Redis. */
    private static Decision both() {
        String hung = KEYS.stream().filter(HungMasterTests::isHung).findFirst().orElseThrow();
        String sound = KEYS.stream().filter(key -> !isHung(key)).findFirst().orElseThrow();
        Decision decision = instance.limiters().tryAcquire(RULE.charge(hung), RULE.charge(sound));
        assertThat(decision.permitted()).isTrue();
        assertThat(decision.parts().get(0).onFailure()).contains(OnFailure.LOCAL);
        return decision;
    }
}
