package dev.limiter.redis;

import static dev.limiter.testkit.Conditions.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.Decision;
import dev.limiter.Limit;
import dev.limiter.RateLimiterFactory;
import dev.limiter.Rule;
import dev.limiter.TimeSource;
import dev.limiter.failover.FailoverRateLimiterStorage;
import dev.limiter.failover.StorageListener;
import dev.limiter.memory.InMemoryRateLimiterStorage;
import dev.limiter.testkit.ChildJvm;
import dev.limiter.testkit.RealTime;
import dev.limiter.testkit.RedisServer;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Two real JVMs use one key, 200 times a second in all, while their server is paused, killed, or loses its data. Prints
 * a table of the grants per window and of decision times. Needs ten minutes on an idle machine, so it runs on demand:
 * {@code -Dlimiter.outage=true}.
 */
@Tag("long")
@EnabledIfSystemProperty(named = "limiter.outage", matches = "true")
class OutageOfTwoJvmsTests {

    private static final int LIMIT = 400;
    private static final Duration WINDOW = Duration.ofSeconds(60);
    private static final Duration BUDGET = Duration.ofMillis(50);
    private static final Duration EVERY = Duration.ofMillis(10);

    /** When the fault begins within its window: about half of the limit is used by then. */
    private static final Duration BEGINS = Duration.ofSeconds(1);

    private static final Duration BRIEF = Duration.ofSeconds(10);
    private static final Duration RETURNED = Duration.ofSeconds(2);
    private static final Duration STILL = Duration.ofMillis(200);

    private enum Fault {
        STOPPED(BRIEF),
        KILLED(BRIEF),
        /** For more than one whole window, and empty after that. */
        LOST(WINDOW.multipliedBy(2).plus(BRIEF));

        private final Duration length;

        Fault(Duration length) {
            this.length = length;
        }

        void begin(RedisServer server) {
            if (this == STOPPED) {
                server.pause();
            } else {
                server.kill();
            }
        }

        void end(RedisServer server) {
            if (this == STOPPED) {
                server.resume();
            } else {
                server.start();
            }
        }
    }

    /**
     * Makes a decision every ten milliseconds until its input ends. Prints decisions, and when Redis was lost and
     * found.
     */
    public static final class Instance implements StorageListener {

        private static final TimeSource CLOCK = TimeSource.system();

        private Instance() {}

        public static void main(String[] arguments) throws IOException {
            try (FastTimeoutClient client = FastTimeoutClient.of(Integer.parseInt(arguments[0]))) {
                RedisRateLimiterStorage redis = RedisRateLimiterStorage.builder(client.redis())
                        .timeout(BUDGET)
                        .build();
                FailoverRateLimiterStorage storage = FailoverRateLimiterStorage.builder(
                                redis, new InMemoryRateLimiterStorage(new RateLimiterFactory(), redis.clock(), 1000))
                        .listener(new Instance())
                        .build();
                Rule rule = Rule.of("rule", Limit.fixedWindow(LIMIT, WINDOW));
                storage.warmUp(List.of(rule), Duration.ofSeconds(20));
                ScheduledExecutorService timer = Executors.newScheduledThreadPool(2);
                ExecutorService callers = Executors.newFixedThreadPool(16);
                var cleaning = timer.scheduleAtFixedRate(storage::cleanUp, 0, 1, TimeUnit.SECONDS);
                await(() -> storage.instances() == 2);
                var asking = timer.scheduleAtFixedRate(
                        () -> callers.execute(() -> ask(storage, rule)), 0, EVERY.toMillis(), TimeUnit.MILLISECONDS);
                watchPauses();
                System.in.transferTo(OutputStream.nullOutputStream());
                cleaning.cancel(false);
                asking.cancel(false);
                timer.shutdownNow();
                callers.shutdown();
                storage.close();
            }
        }

        private static void ask(FailoverRateLimiterStorage storage, Rule rule) {
            long begun = CLOCK.epochNanos();
            String outcome;
            try {
                Decision decision = storage.decide(List.of(rule.charge("key")));
                outcome = (decision.permitted() ? "PERMITTED" : "REJECTED")
                        + (decision.onFailure().isPresent() ? "_LOCALLY" : "");
            } catch (RuntimeException failure) {
                outcome = "FAILED";
            }
            System.out.println(outcome + " " + begun + " " + CLOCK.epochNanos());
        }

        /** Records the longest delay with which an idle thread wakes up. */
        private static void watchPauses() {
            Thread thread = new Thread(() -> {
                while (true) {
                    long begun = CLOCK.epochNanos();
                    RealTime.pass(Duration.ofMillis(1));
                    long ended = CLOCK.epochNanos();
                    if (ended - begun > Duration.ofMillis(50).toNanos()) {
                        System.out.println("PAUSED " + begun + " " + ended);
                    }
                }
            });
            thread.setDaemon(true);
            thread.start();
        }

        @Override
        public void lost(String node, Throwable cause) {
            System.out.println("LOST " + CLOCK.epochNanos() + " 0");
        }

        @Override
        public void found(String node) {
            System.out.println("FOUND " + CLOCK.epochNanos() + " 0");
        }
    }

    /** A line printed by an instance; times in epoch nanoseconds. */
    private record Line(int instance, String outcome, long begun, long ended) {

        static Line of(int instance, String text) {
            String[] words = text.split(" ");
            return new Line(instance, words[0], Long.parseLong(words[1]), Long.parseLong(words[2]));
        }

        boolean is(String... outcomes) {
            return Arrays.asList(outcomes).contains(outcome);
        }

        boolean isWithin(long from, long to) {
            return begun >= from && ended < to;
        }

        boolean touches(long from, long to) {
            return ended >= from && begun < to;
        }

        long millis() {
            return (ended - begun) / 1_000_000;
        }
    }

    @TempDir
    private Path data;

    private RedisServer server(Fault fault) {
        return fault == Fault.LOST
                ? RedisServer.started()
                : RedisServer.started("--appendonly", "yes", "--appendfsync", "always", "--dir", data.toString());
    }

    private static long now() {
        return TimeSource.system().epochNanos();
    }

    private static void passUntil(long epochNanos) {
        RealTime.pass(Duration.ofNanos(Math.max(epochNanos - now(), 0)));
    }

    /** Returns the start of the next window. */
    private static long nextWindow(long epochNanos) {
        return (Math.floorDiv(epochNanos, WINDOW.toNanos()) + 1) * WINDOW.toNanos();
    }

    @ParameterizedTest
    @EnumSource(Fault.class)
    @Timeout(value = 15, unit = TimeUnit.MINUTES)
    void grantsOneMoreLimit(Fault fault) throws Exception {
        List<Process> processes = new ArrayList<>();
        List<Line> lines;
        long first;
        long returned;
        try (RedisServer server = server(fault)) {
            List<CompletableFuture<List<Line>>> outputs = new ArrayList<>();
            for (int i = 0; i < 2; i++) {
                Process process = start(server);
                processes.add(process);
                outputs.add(read(i, process));
            }
            first = nextWindow(now() + Duration.ofSeconds(15).toNanos());
            passUntil(first + BEGINS.toNanos());
            fault.begin(server);
            passUntil(first + BEGINS.plus(fault.length).toNanos());
            returned = now();
            fault.end(server);
            passUntil(nextWindow(returned + RETURNED.toNanos()) + WINDOW.toNanos() + BEGINS.toNanos());
            for (Process process : processes) {
                process.getOutputStream().close();
            }
            lines = outputs.stream().flatMap(output -> output.join().stream()).toList();
        } finally {
            processes.forEach(Process::destroyForcibly);
        }
        print(fault, lines, first, returned);
        assertThat(lines).noneMatch(line -> line.is("FAILED"));
        assertInTime(lines, returned);
        assertBound(fault, lines, first, returned);
        assertExactAgain(lines, returned);
    }

    private static Process start(RedisServer server) throws IOException {
        return new ProcessBuilder(ChildJvm.command(
                        "-Xmx128m",
                        "-XX:+UseSerialGC",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Instance.class.getName(),
                        "" + server.port()))
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
    }

    private static CompletableFuture<List<Line>> read(int instance, Process process) {
        return CompletableFuture.supplyAsync(
                () -> {
                    try (BufferedReader output = process.inputReader(StandardCharsets.UTF_8)) {
                        return output.lines()
                                .map(line -> Line.of(instance, line))
                                .toList();
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                },
                task -> new Thread(task).start());
    }

    private static List<Line> decisions(List<Line> lines) {
        return lines.stream()
                .filter(line -> !line.is("LOST", "FOUND", "PAUSED"))
                .toList();
    }

    /** Returns the decisions that overlap with no pause of the machine. */
    private static List<Line> undisturbed(List<Line> lines) {
        List<Line> pauses = lines.stream().filter(line -> line.is("PAUSED")).toList();
        return decisions(lines).stream()
                .filter(line -> pauses.stream().noneMatch(pause -> line.touches(pause.begun, pause.ended)))
                .toList();
    }

    private static void assertInTime(List<Line> lines, long returned) {
        for (int i = 0; i < 2; i++) {
            int instance = i;
            List<Line> own =
                    lines.stream().filter(line -> line.instance == instance).toList();
            long lost = time(own, "LOST");
            assertThat(lost).as("the breaker opened").isPositive();
            List<Line> outage = undisturbed(own).stream()
                    .filter(line -> line.begun > lost && line.ended < returned)
                    .toList();
            // on a busy machine a thread is occasionally suspended for longer
            assertThat(outage)
                    .filteredOn(line -> line.millis() > BUDGET.toMillis() + 50)
                    .hasSizeLessThanOrEqualTo(outage.size() / 1000);
        }
    }

    private static long time(List<Line> lines, String event) {
        return time(lines, event, 0);
    }

    /** Returns the first event at or after {@code since}; 0 if there is none. */
    private static long time(List<Line> lines, String event, long since) {
        return lines.stream()
                .filter(line -> line.is(event) && line.begun > since)
                .mapToLong(Line::begun)
                .findFirst()
                .orElse(0);
    }

    private static void assertBound(Fault fault, List<Line> lines, long first, long returned) {
        long forgotten = fault == Fault.LOST && returned < first + WINDOW.toNanos() ? LIMIT : 0;
        assertThat(permitted(lines, line -> line.isWithin(first, first + WINDOW.toNanos())))
                .isBetween((long) LIMIT, 2L * LIMIT + forgotten);
        for (long window = first + WINDOW.toNanos(); window + WINDOW.toNanos() < returned; window += WINDOW.toNanos()) {
            long begins = window;
            assertThat(permitted(lines, line -> line.isWithin(begins, begins + WINDOW.toNanos())))
                    .as("permits of a whole window of the outage")
                    .isBetween(LIMIT - 2L, (long) LIMIT);
        }
    }

    /** Tolerates pauses of the machine, which are outages themselves. */
    private static void assertExactAgain(List<Line> lines, long returned) {
        List<Line> since = decisions(lines).stream()
                .filter(line -> line.begun > returned + RETURNED.toNanos())
                .toList();
        long late = since.stream()
                .filter(line -> line.is("PERMITTED_LOCALLY", "REJECTED_LOCALLY"))
                .count();
        boolean stoodStill = lines.stream()
                .anyMatch(line -> line.is("PAUSED") && line.begun > returned && line.millis() > STILL.toMillis());
        if (!stoodStill) {
            assertThat(late).as("decided in memory after the return").isLessThan(since.size() / 100);
            for (int i = 0; i < 2; i++) {
                int instance = i;
                List<Line> own =
                        lines.stream().filter(line -> line.instance == instance).toList();
                assertThat(time(own, "FOUND", returned)).isBetween(returned, returned + RETURNED.toNanos());
            }
        }
        long window = nextWindow(returned + RETURNED.toNanos());
        long end = window + WINDOW.toNanos();
        List<Line> inRedis = lines.stream().filter(line -> line.is("PERMITTED")).toList();
        assertThat(permitted(inRedis, line -> line.isWithin(window, end))).isLessThanOrEqualTo(LIMIT);
        assertThat(permitted(inRedis, line -> line.touches(window, end))).isGreaterThanOrEqualTo(LIMIT);
    }

    private static long permitted(List<Line> lines, Predicate<Line> such) {
        return lines.stream()
                .filter(line -> line.is("PERMITTED", "PERMITTED_LOCALLY"))
                .filter(such)
                .count();
    }

    private static void print(Fault fault, List<Line> lines, long first, long returned) {
        List<Line> decisions = decisions(lines);
        long lost = time(lines, "LOST");
        long found = time(lines, "FOUND", returned);
        System.out.printf(
                "%s: %d decisions, %d failed; lost after %d ms, found %d ms after the return%n",
                fault,
                decisions.size(),
                decisions.stream().filter(line -> line.is("FAILED")).count(),
                (lost - first - BEGINS.toNanos()) / 1_000_000,
                (found - returned) / 1_000_000);
        System.out.printf(
                "%s: longest %d ms before, %d ms until the breaker opened, %d ms in the outage, %d ms after it; longest pause %d ms%n",
                fault,
                longest(decisions, line -> line.begun < first + BEGINS.toNanos()),
                longest(decisions, line -> line.begun >= first + BEGINS.toNanos() && line.begun < lost),
                longest(decisions, line -> line.begun >= lost && line.begun < returned),
                longest(decisions, line -> line.begun >= returned),
                longest(lines.stream().filter(line -> line.is("PAUSED")).toList(), line -> true));
        for (long window = first;
                window < nextWindow(returned + RETURNED.toNanos()) + WINDOW.toNanos();
                window += WINDOW.toNanos()) {
            long begins = window;
            List<Line> own = decisions.stream()
                    .filter(line -> line.isWithin(begins, begins + WINDOW.toNanos()))
                    .toList();
            System.out.printf(
                    "%s: window from %d s: %d in Redis + %d in memory = %d%n",
                    fault,
                    (window - first) / 1_000_000_000,
                    own.stream().filter(line -> line.is("PERMITTED")).count(),
                    own.stream().filter(line -> line.is("PERMITTED_LOCALLY")).count(),
                    permitted(own, line -> true));
        }
    }

    private static long longest(List<Line> lines, Predicate<Line> such) {
        return lines.stream().filter(such).mapToLong(Line::millis).max().orElse(0);
    }
}
