package dev.limiter.spring.operate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.spring.operate.PeakDemand.Suggestion;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Limits that are suggested reject as many keys as was said. */
class PeakDemandTests {

    private static final Duration MINUTE = Duration.ofMinutes(1);

    /** One request of a recorded trace. */
    private interface Trace {
        void request(String key, long time);
    }

    /** Some clients ask for much more than most, all at random times of an hour, the same clients in each hour. */
    private static void hour(int hour, int clients, Trace trace) {
        Random random = new Random(hour);
        Random loads = new Random(0);
        for (int client = 0; client < clients; client++) {
            double load = 2 / Math.pow(1 - loads.nextDouble(), 0.8);
            long requests = Math.round(Math.min(load, 5_000) * (0.8 + 0.4 * random.nextDouble()));
            for (long i = 0; i < requests; i++) {
                trace.request(
                        "ip=" + client,
                        TimeUnit.HOURS.toNanos(hour) + (long) (random.nextDouble() * 3_600_000_000_000L));
            }
        }
    }

    @Test
    void limitOfTheFirstHalfSuitsTheSecond() {
        PeakDemand first = new PeakDemand(Duration.ofHours(1));
        hour(1, 50_000, (key, time) -> first.add(key, 1, time));
        Suggestion suggestion = first.suggest(0.001);

        Map<String, Integer> second = new HashMap<>();
        hour(2, 50_000, (key, time) -> second.merge(key, 1, Integer::sum));
        double rejected = second.values().stream()
                        .filter(requests -> requests > suggestion.limit())
                        .count()
                / (double) second.size();

        assertThat(rejected).isBetween(0.0008, 0.0012);
        assertThat(suggestion.keys()).isEqualTo(50_000);
    }

    @ParameterizedTest
    @CsvSource({"0, 10", "0.1, 9", "0.25, 8", "0.5, 5", "0.99, 1"})
    void isTheSmallestLimitThatRejectsNoMore(double share, long limit) {
        PeakDemand demand = new PeakDemand(MINUTE);
        for (int key = 1; key <= 10; key++) {
            for (int window = 0; window < 3; window++) {
                for (int request = 0; request < (window == 1 ? key : 1); request++) {
                    demand.add("key" + key, 1, window * MINUTE.toNanos() + request);
                }
            }
        }
        assertThat(demand.suggest(share).limit()).isEqualTo(limit);
        assertThat(demand.suggest(share).keys()).isEqualTo(10);
    }

    @Test
    void nothingIsSuggestedOfNothingAndPermitsAreCounted() {
        PeakDemand demand = new PeakDemand(MINUTE);
        assertThat(demand.suggest(0.1)).isEqualTo(new Suggestion(0, 0, 0));
        demand.add("key", 7, 5);
        demand.add("key", 2, 6);
        assertThat(demand.suggest(0)).isEqualTo(new Suggestion(9, 1, 2));
    }

    @Test
    void aMillionKeysAreCountedInASample() {
        PeakDemand demand = new PeakDemand(MINUTE);
        for (int i = 0; i < 1_000_000; i++) {
            demand.add("ip=9:10." + i / 65_536 + "." + i / 256 % 256 + "." + i % 256, 1 + i % 1_000, 0);
        }
        Suggestion suggestion = demand.suggest(0.05);
        assertThat(suggestion.keys()).isCloseTo(1_000_000, Percentage.withPercentage(3));
        assertThat(suggestion.limit()).isBetween(940L, 960L);
        assertThat(suggestion.requests()).isEqualTo(1_000_000);
    }

    @Test
    void commandReadsAnAccessLog(@TempDir Path folder) throws IOException {
        StringBuilder log = new StringBuilder("not a line of a log\n");
        for (int client = 1; client <= 20; client++) {
            for (int request = 0; request < client; request++) {
                log.append("192.0.2.")
                        .append(client)
                        .append(" - ann [10/Oct/2026:13:55:")
                        .append(10 + request)
                        .append(" +0200] \"GET /orders HTTP/1.1\" 200 17 \"-\" \"curl [x]\"\n");
            }
        }
        Path file = Files.writeString(folder.resolve("access.log"), log);

        assertThat(run(0, "1m", "10%", file.toString()))
                .contains("limit: 18" + System.lineSeparator())
                .contains("window: 1m")
                .contains("# from 210 requests of 20 clients; 1 lines were none");
        assertThat(run(2, "1m", "all", file.toString())).contains("no share of the keys");
        assertThat(run(2, "soon", "10%", file.toString())).isNotBlank();
        assertThat(run(2, "1m", "10%", folder.resolve("none").toString())).contains("none");
        assertThat(run(2, "1m")).contains("Use: ");
        assertThat(run(2, "0s", "10%", file.toString())).contains("is no window");
        Path none = Files.writeString(folder.resolve("none.log"), "{}\n\n");
        assertThat(run(2, "1m", "10%", none.toString())).contains("No line of ", "2 lines are something else");
        String time = " - - [10/Oct/2026:13:55:10 +0200] \"GET / HTTP/1.1\" 200 17\n";
        Path sixes = Files.writeString(
                folder.resolve("sixes.log"),
                "2001:db8::1" + time + "2001:DB8:0:0::2" + time + "::ffff:192.0.2.1" + time);
        assertThat(run(0, "1m", "10%", sixes.toString())).contains("limit: 2").contains("3 requests of 2 clients");
    }

    private static String run(int status, String... arguments) {
        ByteArrayOutputStream said = new ByteArrayOutputStream();
        PrintStream out = new PrintStream(said, true, StandardCharsets.UTF_8);
        assertThat(SuggestLimit.run(arguments, out, out)).isEqualTo(status);
        return said.toString(StandardCharsets.UTF_8);
    }
}
