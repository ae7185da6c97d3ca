package dev.limiter.benchmarks.redis;

import dev.limiter.benchmarks.harness.BusyCore;
import dev.limiter.benchmarks.harness.Measurement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;

/**
 * Measures the decisions per second of 32 threads on a local Redis, and its CPU time for each, as ratios to an
 * empty script call. The contenders take turns in slices, in another order each round, so a slower machine slows
 * all of them.
 *
 * <p>No request is rejected, because known rejections need no call; rejections are measured separately.
 *
 * <p>For {@code Tables redis} and {@code Tables redis-busy}. The arguments are the number of rounds, the
 * milliseconds of a slice, and {@code busy} to keep one core busy with another process.
 */
public final class RedisBenchmark {

    private static final long NEVER_REACHED = 10_000_000;
    private static final int WARM_UPS = 6;
    private static final int[] MANY_KEYS = IntStream.range(0, 1_000).toArray();
    private static final int[] HOT_KEY = {1_000};

    private final LocalRedis server;
    private final Contender empty;
    private final int rounds;
    private final Duration length;

    private RedisBenchmark(LocalRedis server, Contender empty, int rounds, Duration length) {
        this.server = server;
        this.empty = empty;
        this.rounds = rounds;
        this.length = length;
    }

    public static void main(String[] arguments) throws Exception {
        int rounds = Integer.parseInt(arguments[0]);
        Duration length = Duration.ofMillis(Integer.parseInt(arguments[1]));
        try (LocalRedis server = LocalRedis.start();
                Contenders contenders = new Contenders(server)) {
            System.err.printf("Redis %s, slices of %d ms%n", server.version(), length.toMillis());
            var benchmark = new RedisBenchmark(server, contenders.empty(), rounds, length);
            if (arguments.length > 2 && arguments[2].equals("busy")) {
                try (BusyCore busy = BusyCore.start()) {
                    benchmark.compareUnrejected(contenders, "redis-busy");
                }
            } else {
                benchmark.compareUnrejected(contenders, "redis");
                benchmark.compareRejected(contenders);
            }
        }
        System.exit(0);
    }

    private void compareUnrejected(Contenders contenders, String table) throws InterruptedException {
        List<Contender> permitted = each("ours", NEVER_REACHED, contenders::ours);
        permitted.add(contenders.released(terms("released", NEVER_REACHED)));
        permitted.add(contenders.threeRules(terms("three", NEVER_REACHED)));
        permitted.addAll(each("peer", NEVER_REACHED, contenders::peers));
        Map<Contender, List<Slice>> many = slices(MANY_KEYS, permitted);
        print(many, table, "", "1,000 keys", Slice::perSecond);
        print(many, table, "", "server time, 1,000 keys", Slice::redisMicros);
        printEmptyCall(many.get(empty), table);
        permitted.add(contenders.leased(terms("leased", NEVER_REACHED)));
        print(slices(HOT_KEY, permitted), table, "", "one hot key", Slice::perSecond);
    }

    private void compareRejected(Contenders contenders) throws InterruptedException {
        Map<Contender, List<Slice>> many = slices(MANY_KEYS, saturated(contenders, 10));
        printRejected(many, "1,000 keys, 10 per second each: ");
        List<Contender> hot = saturated(contenders, 1_000);
        hot.add(contenders.leased(terms("saturated", 100_000)));
        printRejected(slices(HOT_KEY, hot), "one hot key, 1,000 per second: ");
    }

    private static List<Contender> saturated(Contenders contenders, long limit) {
        List<Contender> saturated = new ArrayList<>();
        saturated.add(contenders.tokenBucket(terms("limited-to-" + limit, limit)));
        saturated.addAll(each("peer-limited-to-" + limit, limit, contenders::peers));
        return saturated;
    }

    /** Creates contenders with rules of different names, so that they share no keys. */
    private static List<Contender> each(
            String rule, long limit, Function<Contenders.Terms, List<Supplier<Contender>>> all) {
        List<Contender> contenders = new ArrayList<>();
        for (int i = 0; i < all.apply(terms(rule, limit)).size(); i++) {
            contenders.add(all.apply(terms(rule + "-" + i, limit)).get(i).get());
        }
        return contenders;
    }

    private static Contenders.Terms terms(String rule, long limit) {
        return new Contenders.Terms(rule, limit, Duration.ofSeconds(1));
    }

    /** Returns the slices in the order of the contenders, after the empty call. */
    private Map<Contender, List<Slice>> slices(int[] keys, List<Contender> contenders) throws InterruptedException {
        Map<Contender, List<Slice>> slices = new LinkedHashMap<>();
        slices.put(empty, new ArrayList<>());
        contenders.forEach(contender -> slices.put(contender, new ArrayList<>()));
        List<Contender> order = new ArrayList<>(slices.keySet());
        Random random = new Random(6);
        // the first seconds are slow
        for (int round = -WARM_UPS; round < rounds; round++) {
            Collections.shuffle(order, random);
            for (Contender contender : order) {
                Slice slice = Slice.of(contender, keys, length, server);
                if (round >= 0) {
                    slices.get(contender).add(slice);
                }
            }
        }
        return slices;
    }

    private void printRejected(Map<Contender, List<Slice>> slices, String keys) {
        print(slices, "redis-limit", keys, "decisions of an empty call", Slice::perSecond);
        slices.forEach((contender, its) -> {
            if (contender != empty) {
                its.forEach(slice -> new Measurement(
                                "redis-limit", keys + contender.name(), "permitted", 100 * slice.permitted())
                        .print());
            }
        });
    }

    /** The base of the ratios. */
    private static void printEmptyCall(List<Slice> slices, String table) {
        for (Slice slice : slices) {
            new Measurement(table + "-empty", "one empty call", "per second", slice.perSecond()).print();
            new Measurement(table + "-empty", "one empty call", "server time", slice.redisMicros()).print();
            new Measurement(table + "-empty", "one empty call", "JVM time", slice.jvmMicros()).print();
        }
    }

    /** Prints ratios to the empty call of the same round. */
    private void print(
            Map<Contender, List<Slice>> slices,
            String table,
            String prefix,
            String column,
            ToDoubleFunction<Slice> what) {
        List<Slice> calls = slices.get(empty);
        slices.forEach((contender, its) -> {
            for (int round = 0; round < its.size() && contender != empty; round++) {
                double ratio = what.applyAsDouble(its.get(round)) / what.applyAsDouble(calls.get(round));
                new Measurement(table, prefix + contender.name(), column, ratio).print();
            }
        });
    }
}
