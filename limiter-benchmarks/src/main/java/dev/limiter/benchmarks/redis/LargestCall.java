package dev.limiter.benchmarks.redis;

import dev.limiter.Charge;
import dev.limiter.Decision;
import dev.limiter.Limit;
import dev.limiter.Rule;
import dev.limiter.redis.LettuceRedis;
import dev.limiter.redis.RedisRateLimiterStorage;
import io.lettuce.core.api.sync.RedisCommands;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Prints for how long the server does nothing else in the longest call of a script, for the states that are the most
 * work: the execution time that {@code SLOWLOG} tells, in several rounds, each with a state of its own. Work of the
 * server outside a call (deleting an expired key) is not in it.
 *
 * <p>{@code java -cp benchmarks.jar dev.limiter.benchmarks.redis.LargestCall}
 */
public final class LargestCall {

    private static final int ROUNDS = 11;
    private static final int LOG = 10_000;
    private static final Duration HOUR = Duration.ofHours(1);
    private static final Duration SECOND = Duration.ofSeconds(1);
    /** The time at which each hold is to be renewed. */
    private static final Duration DUE = Duration.ofSeconds(11);

    private final LocalRedis server;
    private final RedisCommands<byte[], byte[]> commands;
    private final RedisRateLimiterStorage storage;

    private LargestCall(LocalRedis server) {
        this.server = server;
        this.commands = server.commands();
        this.storage = RedisRateLimiterStorage.builder(new LettuceRedis(server.connect()))
                .keyPrefix("p")
                .timeout(Duration.ofSeconds(10))
                .build();
        commands.configSet("slowlog-log-slower-than", "0");
        commands.configSet("slowlog-max-len", "1000");
    }

    public static void main(String[] arguments) throws Exception {
        try (LocalRedis server = LocalRedis.start()) {
            System.out.printf("Redis %s, %d rounds%n%n", server.version(), ROUNDS);
            System.out.println("| | median | longest |");
            System.out.println("| --- | ---: | ---: |");
            LargestCall calls = new LargestCall(server);
            calls.printLogs();
            calls.printHolds();
            calls.printOthers();
            calls.storage.close();
        }
        System.exit(0);
    }

    private void printLogs() throws Exception {
        Rule hour = Rule.of("log", Limit.slidingWindowLog(LOG, HOUR));
        print("a log of 10,000, a permit", key -> storeLog(hour, key, LOG / 2, false), key -> take(hour, key, 1));
        print("the same, refused half of it", key -> storeLog(hour, key, LOG, false), key -> take(hour, key, LOG / 2));
        Rule leaving = Rule.of("leaving", Limit.slidingWindowLog(LOG, HOUR));
        print(
                "the same, a thousand entries leave",
                key -> storeLog(leaving, key, LOG, true),
                key -> take(leaving, key, 900));
        for (int stored : new int[] {100_000, 1_000_000}) {
            String name = String.format(Locale.ROOT, "a log of %,d (of an older version)", stored);
            print(
                    name + ", half of it leaves",
                    key -> storeLog(leaving, key, stored, true),
                    key -> take(leaving, key, 1));
            print(name + ", all has left", key -> storeLogLeft(leaving, key, stored), key -> take(leaving, key, 1));
            Rule window = Rule.of("leaving", Limit.fixedWindow(10_000_000, HOUR));
            print(
                    name + ", the rule is a fixed window now",
                    key -> storeLog(leaving, key, stored, false),
                    key -> take(window, key, 1));
            print(name + ", reset", key -> storeLog(leaving, key, stored, false), key -> storage.reset(leaving, key));
        }
        Rule twoTiers = Rule.of("log", Limit.slidingWindowLog(LOG / 10, HOUR));
        print(
                "a log of 10,000, under a tier of 1,000",
                key -> storeLog(hour, key, LOG, false),
                key -> take(twoTiers, key, 1));
    }

    private void printHolds() throws Exception {
        for (int stored : new int[] {10_000, 100_000}) {
            String name = String.format(Locale.ROOT, "%,d permits in flight", stored);
            Rule rule = Rule.of("flight", Limit.concurrency(stored + 1));
            print(name + ", a permit", key -> storeHolds(rule, key, stored, 0), key -> take(rule, key, 1));
            print(name + ", all have expired", key -> storeHolds(rule, key, stored, stored), key -> take(rule, key, 1));
            Rule window = Rule.of("flight", Limit.fixedWindow(10_000_000, HOUR));
            print(
                    name + ", the rule is a fixed window now",
                    key -> storeHolds(rule, key, stored, 0),
                    key -> take(window, key, 1));
            print(name + ", reset", key -> storeHolds(rule, key, stored, 0), key -> storage.reset(rule, key));
        }
        Rule renewed = Rule.of("renewed", Limit.concurrency(10_000));
        print(
                "10,000 permits of a key are renewed, the longest of the calls",
                key -> {
                    for (int i = 0; i < 10_000; i++) {
                        take(renewed, key, 1);
                    }
                    sleep(DUE);
                },
                key -> {
                    storage.cleanUp();
                    sleep(SECOND);
                },
                2);
    }

    private void printOthers() throws Exception {
        Rule counter =
                Rule.of("counter", Limit.slidingWindowCounter(1_000_000, HOUR).buckets(100));
        print("a counter of 100 buckets, new", key -> {}, key -> take(counter, key, 1));
        List<Charge> many = new ArrayList<>();
        print(
                "a request with 20 rules",
                key -> {
                    many.clear();
                    for (int i = 0; i < 20; i++) {
                        many.add(Rule.of("rule-" + i, Limit.tokenBucket(100, SECOND))
                                .charge(key, 1));
                    }
                },
                key -> storage.decide(many));
    }

    private void print(String name, Consumer<String> store, Consumer<String> call) throws Exception {
        print(name, store, call, ROUNDS);
    }

    private void print(String name, Consumer<String> store, Consumer<String> call, int rounds) throws Exception {
        // the script is loaded, and what is above is not in the measurement
        store.accept("warm");
        call.accept("warm");
        long[] micros = new long[rounds];
        for (int round = 0; round < rounds; round++) {
            commands.flushall();
            String key = "key-" + round;
            store.accept(key);
            TimeUnit.MILLISECONDS.sleep(50);
            commands.slowlogReset();
            call.accept(key);
            micros[round] = longest();
        }
        Arrays.sort(micros);
        System.out.printf(
                Locale.ROOT,
                "| %s | %.2f ms | %.2f ms |%n",
                name,
                micros[rounds / 2] / 1000.0,
                micros[rounds - 1] / 1000.0);
    }

    private long longest() {
        long longest = 0;
        for (Object entry : commands.slowlogGet(1000)) {
            List<?> fields = (List<?>) entry;
            String command = new String((byte[]) ((List<?>) fields.get(3)).get(0), StandardCharsets.US_ASCII);
            if (!command.equalsIgnoreCase("SLOWLOG")) {
                longest = Math.max(longest, (Long) fields.get(2));
            }
        }
        if (longest == 0) {
            throw new IllegalStateException("the call was not seen");
        }
        return longest;
    }

    private static void sleep(Duration time) {
        try {
            Thread.sleep(time.toMillis());
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private Decision take(Rule rule, String key, long permits) {
        return storage.decide(List.of(rule.charge(key, permits)));
    }

    /** The name of the state, found by a decision that makes it on an empty server, which is empty again afterwards. */
    private byte[] state(Rule rule, String key) {
        commands.flushall();
        take(rule, key, 1);
        List<byte[]> names = commands.keys("*");
        if (names.size() != 1) {
            throw new IllegalStateException("not one state, but " + names.size());
        }
        commands.flushall();
        return names.get(0);
    }

    /** A list of the total, the window, and entries: see {@code sliding_window_log.lua}. */
    private void storeLog(Rule rule, String key, int entries, boolean halfLeft) {
        long window = HOUR.toNanos() / 1000;
        storeLog(
                rule,
                key,
                entries,
                halfLeft ? server.timeMicros() - window - entries / 2 : server.timeMicros() - entries);
    }

    private void storeLogLeft(Rule rule, String key, int entries) {
        storeLog(rule, key, entries, server.timeMicros() - HOUR.toNanos() / 1000 - entries);
    }

    private void storeLog(Rule rule, String key, int entries, long first) {
        byte[] state = state(rule, key);
        commands.rpush(state, text("" + entries), text("" + HOUR.toNanos() / 1000));
        byte[][] some = new byte[2000][];
        for (int i = 0; i < entries; i += 1000) {
            for (int j = 0; j < 1000; j++) {
                some[2 * j] = text("" + (first + i + j));
                some[2 * j + 1] = text("1");
            }
            commands.rpush(state, some);
        }
    }

    /** A sorted set of the total and the holds: see {@code concurrency.lua}. */
    private void storeHolds(Rule rule, String key, int holds, int expired) {
        byte[] state = state(rule, key);
        long now = server.timeMicros();
        commands.zadd(state, -holds, text("t"));
        for (int from = 0; from < holds; from += 1000) {
            Object[] some = new Object[2000];
            for (int i = 0; i < 1000; i++) {
                some[2 * i] = (double) (from + i < expired ? now - 1000 : now + 30_000_000);
                some[2 * i + 1] = ByteBuffer.allocate(23)
                        .putInt(0)
                        .put(new byte[] {0, 0, 1})
                        .putLong(0)
                        .putLong(from + i)
                        .array();
            }
            commands.zadd(state, some);
        }
    }

    private static byte[] text(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}
