package dev.limiter.benchmarks.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/**
 * Prints the decisions per second that 32 threads get from one Redis on this machine, and its time for each, as ratios
 * to a script that does nothing. The contenders take turns in slices of a second, in another order each round, so that
 * a slower machine slows all of them alike. A ratio is the median of the ratios of the rounds.
 *
 * <p>No request is refused, since a refusal need not ask Redis; refusals are measured apart, below.
 *
 * <p>{@code java -cp benchmarks.jar dev.limiter.benchmarks.redis.RedisBenchmark [rounds] [milliseconds of a slice]
 * [pattern of names]}
 */
public final class RedisBenchmark {

    private static final long NEVER_REACHED = 10_000_000;
    private static final int WARM_UPS = 6;
    private static final int[] MANY_KEYS = IntStream.range(0, 1_000).toArray();
    private static final int[] HOT_KEY = {1_000};

    private final LocalRedis server;
    private final Contender floor;
    private final int rounds;
    private final Duration length;
    private final Pattern pattern;

    private RedisBenchmark(LocalRedis server, Contender floor, int rounds, Duration length, Pattern pattern) {
        this.server = server;
        this.floor = floor;
        this.rounds = rounds;
        this.length = length;
        this.pattern = pattern;
    }

    public static void main(String[] arguments) throws Exception {
        int rounds = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 9;
        Duration length = Duration.ofMillis(arguments.length > 1 ? Integer.parseInt(arguments[1]) : 1_000);
        Pattern pattern = Pattern.compile(arguments.length > 2 ? arguments[2] : "");
        try (LocalRedis server = LocalRedis.start();
                Contenders contenders = new Contenders(server)) {
            System.out.printf("Redis %s, %d rounds of slices of %d ms%n", server.version(), rounds, length.toMillis());
            var benchmark = new RedisBenchmark(server, contenders.floor(), rounds, length, pattern);
            benchmark.compareAll(contenders);
        }
        System.exit(0);
    }

    private void compareAll(Contenders contenders) throws InterruptedException {
        List<Contender> permitted = each("ours", NEVER_REACHED, contenders::ours);
        permitted.add(contenders.released(terms("released", NEVER_REACHED)));
        permitted.add(contenders.threeRules(terms("three", NEVER_REACHED)));
        permitted.addAll(each("peer", NEVER_REACHED, contenders::peers));
        compare("1,000 keys, nobody refused", MANY_KEYS, permitted);
        permitted.add(contenders.leased(terms("leased", NEVER_REACHED)));
        compare("One hot key, nobody refused", HOT_KEY, permitted);
        compare("1,000 keys, 10 per second each", MANY_KEYS, saturated(contenders, 10));
        List<Contender> saturated = saturated(contenders, 1_000);
        saturated.add(contenders.leased(terms("saturated", 100_000)));
        compare("One hot key, 1,000 per second", HOT_KEY, saturated);
    }

    private static List<Contender> saturated(Contenders contenders, long limit) {
        List<Contender> saturated = new ArrayList<>();
        saturated.add(contenders.tokenBucket(terms("limited-to-" + limit, limit)));
        saturated.addAll(each("peer-limited-to-" + limit, limit, contenders::peers));
        return saturated;
    }

    /** By rules of different names, so that they do not share their keys. */
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

    private void compare(String title, int[] keys, List<Contender> contenders) throws InterruptedException {
        Map<Contender, List<Slice>> slices = new LinkedHashMap<>();
        slices.put(floor, new ArrayList<>());
        for (Contender contender : contenders) {
            if (pattern.matcher(contender.name()).find()) {
                slices.put(contender, new ArrayList<>());
            }
        }
        if (slices.size() == 1) {
            return;
        }
        List<Contender> order = new ArrayList<>(slices.keySet());
        Random random = new Random(6);
        // what has not run for some seconds yet is slow
        for (int round = -WARM_UPS; round < rounds; round++) {
            Collections.shuffle(order, random);
            for (Contender contender : order) {
                Slice slice = Slice.of(contender, keys, length, server);
                if (round >= 0) {
                    slices.get(contender).add(slice);
                }
            }
        }
        print(title, slices);
    }

    private void print(String title, Map<Contender, List<Slice>> slices) {
        System.out.printf(
                "%n| %s | of the floor | per second | Redis us | of the floor | JVM us | permitted |%n", title);
        System.out.println("| --- | ---: | ---: | ---: | ---: | ---: | ---: |");
        List<Slice> floors = slices.get(floor);
        slices.forEach((contender, its) -> System.out.printf(
                "| %s | %.2f | %,.0f | %.2f | %.2f | %.1f | %.1f %% |%n",
                contender.name(),
                ratio(its, floors, Slice::perSecond),
                median(its.stream().mapToDouble(Slice::perSecond).toArray()),
                median(its.stream().mapToDouble(Slice::redisMicros).toArray()),
                ratio(its, floors, Slice::redisMicros),
                median(its.stream().mapToDouble(Slice::jvmMicros).toArray()),
                100 * median(its.stream().mapToDouble(Slice::permitted).toArray())));
    }

    private static double ratio(List<Slice> slices, List<Slice> floors, ToDoubleFunction<Slice> what) {
        return median(IntStream.range(0, slices.size())
                .mapToDouble(round -> what.applyAsDouble(slices.get(round)) / what.applyAsDouble(floors.get(round)))
                .toArray());
    }

    private static double median(double[] values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        int half = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
    }
}
