package dev.limiter.spring.chaos;

import static dev.limiter.testkit.Conditions.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.testkit.RedisServer;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.io.TempDir;

/** The clock of one of two instances is an hour ahead, and it is half past eleven at night. */
@Tag("long")
class WrongClockTests {

    @Test
    void theClockOfTheServerCounts(@TempDir Path directory, TestInfo test) throws IOException, InterruptedException {
        String[] properties = {
            // what a test needs that counts exactly, on a slow machine
            "limiter.redis.timeout=5s",
            "limiter.rules.today.paths=/today",
            "limiter.rules.today.key=header:X-Api-Key",
            "limiter.rules.today.limit=" + Instance.LIMIT,
            "limiter.rules.today.window=1d",
            "limiter.rules.today.algorithm=fixed-window",
            "limiter.rules.today.align=calendar",
            "limiter.rules.today.zone=" + whereItIsHalfPastEleven(),
        };
        try (RedisServer redis = RedisServer.started()) {
            try (Instance right = new Instance(redis.port(), properties);
                    SkewedInstance wrong = new SkewedInstance(directory, redis.port(), properties)) {
                await(right::usesRedis);
                try (ClosedLoopLoad load =
                        new ClosedLoopLoad("anybody", List.of(right.port(), wrong.port()), "/today", "/local")) {
                    load.awaitMore("/today", 200, Instance.LIMIT / 3);
                    load.endCalm();
                    load.awaitMore("/today", 429, 1000);
                    load.awaitMore("/local", 429, 1000);
                    assertThat(load.answers()).containsOnlyKeys("/today 200", "/today 429", "/local 200", "/local 429");
                    assertThat(load.count("/today", 200)).isEqualTo(Instance.LIMIT);
                    assertThat(load.count("/local", 200)).isEqualTo(Instance.LIMIT);
                    ChaosSupport.assertInTime(test, load);
                }
                assertThat(retryAfter(right.port())).isBetween(1500L, 1800L);
                assertThat(retryAfter(wrong.port())).isBetween(1500L, 1800L);
            }
        }
    }

    private static ZoneOffset whereItIsHalfPastEleven() {
        int minutes = LocalTime.parse("23:30").toSecondOfDay() / 60
                - LocalTime.now(ZoneOffset.UTC).toSecondOfDay() / 60;
        return ZoneOffset.ofTotalSeconds(60 * (minutes > 720 ? minutes - 1440 : minutes));
    }

    private static long retryAfter(int port) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://localhost:" + port + "/today"))
                .header("X-Api-Key", "anybody")
                .build();
        HttpResponse<String> answer = HttpClient.newHttpClient().send(request, BodyHandlers.ofString());
        assertThat(answer.statusCode()).isEqualTo(429);
        return answer.headers().firstValueAsLong("Retry-After").orElseThrow();
    }
}
