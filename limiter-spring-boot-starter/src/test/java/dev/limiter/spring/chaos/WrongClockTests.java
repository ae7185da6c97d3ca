package dev.limiter.spring.chaos;

import static dev.limiter.testkit.Conditions.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.TimeSource;
import dev.limiter.testkit.Clients;
import dev.limiter.testkit.RedisServer;
import java.net.http.HttpResponse;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The clock of one of two instances is an hour ahead, at half past eleven at night. */
@Tag("long")
class WrongClockTests {

    @Test
    void theClockOfTheServerCounts() {
        try (RedisServer redis = RedisServer.started()) {
            Stream<String> properties = Stream.of(
                    "spring.data.redis.port=" + redis.port(),
                    // for exact counts on slow machines
                    "limiter.redis.timeout=5s",
                    "limiter.rules.today.paths=/today",
                    "limiter.rules.today.key=header:X-Api-Key",
                    "limiter.rules.today.limit=" + Instance.LIMIT,
                    "limiter.rules.today.window=1d",
                    "limiter.rules.today.algorithm=fixed-window",
                    "limiter.rules.today.align=calendar",
                    "limiter.rules.today.zone=" + whereItIsHalfPastEleven());
            List<String> all = properties.toList();
            try (Instance right = new Instance(all.stream());
                    Instance wrong = new Instance(all.stream(), AnHourAhead.class)) {
                await(() -> right.usesRedis() && wrong.usesRedis());
                try (ClosedLoopLoad load =
                        new ClosedLoopLoad("anybody", List.of(right.port(), wrong.port()), "/today", "/local")) {
                    load.awaitMore("/today", 429, 1000);
                    load.awaitMore("/local", 429, 1000);
                    assertThat(load.answers()).containsOnlyKeys("/today 200", "/today 429", "/local 200", "/local 429");
                    assertThat(load.count("/today", 200)).isEqualTo(Instance.LIMIT);
                    assertThat(load.count("/local", 200)).isEqualTo(Instance.LIMIT);
                }
                for (Instance instance : List.of(right, wrong)) {
                    HttpResponse<String> answer = new Clients(instance.port()).get("/today", "X-Api-Key", "anybody");
                    assertThat(answer.headers().firstValueAsLong("Retry-After").orElseThrow())
                            .isBetween(1500L, 1800L);
                }
            }
        }
    }

    private static ZoneOffset whereItIsHalfPastEleven() {
        int minutes = LocalTime.parse("23:30").toSecondOfDay() / 60
                - LocalTime.now(ZoneOffset.UTC).toSecondOfDay() / 60;
        return ZoneOffset.ofTotalSeconds(60 * (minutes > 720 ? minutes - 1440 : minutes));
    }

    @Configuration(proxyBeanMethods = false)
    static class AnHourAhead {

        @Bean
        TimeSource time() {
            return () -> TimeSource.system().epochNanos() + 3_600_000_000_000L;
        }
    }
}
