package dev.limiter.benchmarks.redis;

import dev.limiter.Charge;
import dev.limiter.Decision;
import dev.limiter.Limit;
import dev.limiter.Rule;
import dev.limiter.benchmarks.harness.Measurement;
import dev.limiter.redis.LettuceRedis;
import dev.limiter.redis.RedisRateLimiterStorage;
import io.lettuce.core.api.sync.RedisCommands;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Measures the longest script call for the states that cause the most work, by the execution times in {@code
 * SLOWLOG}. Each round has a state of its own. Work of the server outside a call, such as deleting an expired key,
 * is not included.
 *
 * <p>For {@code Tables redis-largest}. The argument is the number of rounds; renewals take 11 seconds and have
 * two.
 */
public final class LargestCall {

    /** The most states in one call. */
    private static final int TOGETHER = 64;

    private static final int LOG = 10_000;
    private static final Duration HOUR = Duration.ofHours(1);
    private static final Duration SECOND = Duration.ofSeconds(1);
    /** The time at which each permit is renewed. */
    private static final Duration DUE = Duration.ofSeconds(11);

    private final LocalRedis server;
    private final int rounds;
    private final RedisCommands<byte[], byte[]> commands;
    private final RedisRateLimiterStorage storage;

    private int number;
    private Decision taken;

    private LargestCall(LocalRedis server, int rounds) {
        this.server = server;
        this.rounds = rounds;
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
            LargestCall calls = new LargestCall(server, Integer.parseInt(arguments[0]));
            calls.printLogs();
            calls.printHolds();
            calls.printOthers();
            calls.printGathered();
            calls.storage.close();
        }
        System.exit(0);
    }

    private void printLogs() throws Exception {
        Rule hour = Rule.of("log", Limit.slidingWindowLog(LOG, HOUR));
        print("a log of 10,000, a permit", key -> storeLog(hour, key, LOG / 2, false), key -> take(hour, key, 1));
        print("the same, rejected half of it", key -> storeLog(hour, key, LOG, false), key -> take(hour, key, LOG / 2));
        Rule leaving = Rule.of("leaving", Limit.slidingWindowLog(LOG, HOUR));
        print(
                "the same, a thousand entries leave",
                key -> storeLog(leaving, key, LOG, true),
                key -> take(leaving, key, 900));
        print(
                "a log of 10,000, a permit is refunded",
                key -> {
                    storeLog(hour, key, LOG / 2, false);
                    taken = take(hour, key, 1);
                },
                key -> {
                    taken.giveBack();
                    sleep(Duration.ofMillis(50));
                });
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
                Math.min(rounds, 2));
    }

    private void printOthers() throws Exception {
        Rule counter =
                Rule.of("counter", Limit.slidingWindowCounter(1_000_000, HOUR).buckets(100));
        print("a counter of 100 buckets, new", key -> {}, key -> take(counter, key, 1));
        Rule fine = Rule.of("fine", Limit.slidingWindowCounter(1_000_000, HOUR).buckets(1000));
        print("a counter of 1,000 buckets, new", key -> {}, key -> take(fine, key, 1));
        print("the same, half of it leaves", key -> storeCounter(fine, key), key -> take(fine, key, 1));
        Rule window = Rule.of("fine", Limit.fixedWindow(10_000_000, HOUR));
        print("the same, the rule is a fixed window now", key -> storeCounter(fine, key), key -> take(window, key, 1));
        List<Rule> counters = new ArrayList<>();
        for (int i = 0; i < TOGETHER; i++) {
            counters.add(Rule.of(
                    "fine-" + i, Limit.slidingWindowCounter(1_000_000, HOUR).buckets(1000)));
        }
        Consumer<String> halfLeft = key -> counters.forEach(rule -> storeCounter(rule, key));
        String many64 = "a request with 64 rules, counters of 1,000 buckets";
        print(many64 + ", half of it leaves", halfLeft, key -> decide(counters, key, 1));
        print(many64 + ", rejected nearly all", halfLeft, key -> decide(counters, key, 999_999));
        print(many64 + ", new", key -> {}, key -> decide(counters, key, 1));
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

    /** Measures requests of many keys that arrive at once and share a call. */
    private void printGathered() throws Exception {
        Rule log = Rule.of("log", Limit.slidingWindowLog(LOG, HOUR));
        gather("logs of 10,000, a permit", key -> storeLog(log, key, LOG / 2, false), log, 1);
        gather("the same, rejected half of it", key -> storeLog(log, key, LOG, false), log, LOG / 2);
        gather("the same, half of it leaves", key -> storeLog(log, key, LOG, true), log, 1);
        Rule window = Rule.of("log", Limit.fixedWindow(10_000_000, HOUR));
        gather("the same, the rule is a fixed window now", key -> storeLog(log, key, LOG, false), window, 1);
        Rule longer = Rule.of("log", Limit.slidingWindowLog(LOG, HOUR.multipliedBy(2)));
        gather("the same, the window is longer now", key -> storeLog(log, key, LOG / 2, false), longer, 1);
        gather("the same, which is more", key -> storeLog(log, key, 900, false), longer, 1);
        Rule flight = Rule.of("flight", Limit.concurrency(LOG + 1));
        gather("10,000 permits in flight, all have expired", key -> storeHolds(flight, key, LOG, LOG), flight, 1);
        Rule fine = Rule.of("fine", Limit.slidingWindowCounter(1_000_000, HOUR).buckets(1000));
        gather("counters of 1,000 buckets, half of it leaves", key -> storeCounter(fine, key), fine, 1);
        Rule bucket = Rule.of("bucket", Limit.tokenBucket(1000, HOUR));
        gather("token buckets", key -> take(bucket, key, 1), bucket, 1);
    }

    private void gather(String name, Consumer<String> store, Rule rule, long permits) throws Exception {
        // four go alone, and the others together
        int keys = TOGETHER + 4;
        print(
                TOGETHER + " keys at once: " + name,
                key -> {
                    for (int i = 0; i < keys; i++) {
                        store.accept(key + "-" + i);
                    }
                },
                key -> {
                    List<CompletableFuture<Decision>> decisions = new ArrayList<>();
                    for (int i = 0; i < keys; i++) {
                        decisions.add(storage.decideAsync(List.of(rule.charge(key + "-" + i, permits))));
                    }
                    decisions.forEach(CompletableFuture::join);
                },
                Math.min(rounds, 3));
    }

    private void print(String name, Consumer<String> store, Consumer<String> call) throws Exception {
        print(name, store, call, rounds);
    }

    private void print(String name, Consumer<String> store, Consumer<String> call, int rounds) throws Exception {
        // the script is loaded, and the preparation is not measured
        store.accept("warm");
        call.accept("warm");
        for (int round = 0; round < rounds; round++) {
            commands.flushall();
            String key = "key-" + number++;
            store.accept(key);
            TimeUnit.MILLISECONDS.sleep(50);
            commands.slowlogReset();
            call.accept(key);
            new Measurement("redis-largest", name, "longest call", longest() / 1e3).print();
        }
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
            throw new IllegalStateException("the call is not in SLOWLOG");
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

    private void decide(List<Rule> rules, String key, long permits) {
        storage.decide(rules.stream().map(rule -> rule.charge(key, permits)).toList());
    }

    private Decision take(Rule rule, String key, long permits) {
        return storage.decide(List.of(rule.charge(key, permits)));
    }

    /** Returns the name of the state by a decision that creates it. The state is deleted afterwards. */
    private byte[] state(Rule rule, String key) {
        take(rule, key, 1);
        List<byte[]> names = commands.keys("*" + rule.name() + ":" + key + "}*");
        if (names.size() != 1) {
            throw new IllegalStateException("expected one state, found " + names.size());
        }
        commands.del(names.get(0));
        return names.get(0);
    }

    /** Stores a list of the total, the window, and entries: see {@code sliding_window_log.lua}. */
    private void storeLog(Rule rule, String key, int entries, boolean halfLeft) {
        long window = HOUR.toNanos() / 1000;
        long first = halfLeft ? server.timeMicros() - window - entries / 2 : server.timeMicros() - entries;
        byte[] state = state(rule, key);
        commands.rpush(state, text("" + entries), text("" + window));
        for (int i = 0; i < entries; i += 1000) {
            byte[][] some = new byte[2 * Math.min(1000, entries - i)][];
            for (int j = 0; j < some.length; j += 2) {
                some[j] = text("" + (first + i + j / 2));
                some[j + 1] = text("1");
            }
            commands.rpush(state, some);
        }
    }

    /** Stores a sorted set of the total and the permits: see {@code concurrency.lua}. */
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

    /**
     * Stores the counts of a sub-window and the thousand before it; half of them have expired: see {@code
     * sliding_window_counter.lua}.
     */
    private void storeCounter(Rule rule, String key) {
        byte[] state = state(rule, key);
        long length = HOUR.toNanos() / 1000;
        ByteBuffer stored = ByteBuffer.allocate(17 + 7 * 1001 + 7).put((byte) 3);
        seven(stored, server.timeMicros() / (length / 1000) - 500);
        seven(stored, length);
        stored.putShort((short) 1000);
        for (int i = 0; i <= 1000; i++) {
            seven(stored, 3);
        }
        seven(stored, 3 * 1001);
        commands.set(state, stored.array());
    }

    private static void seven(ByteBuffer out, long number) {
        out.put(ByteBuffer.allocate(Long.BYTES).putLong(number).array(), 1, 7);
    }

    private static byte[] text(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}
