package dev.limiter.benchmarks;

import java.util.Arrays;
import java.util.Random;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** The keys of requests: one key, or Zipf(1.0) over many, drawn before the run. */
@State(Scope.Benchmark)
public class Keys {

    private static final int DRAWS = 1 << 20;

    @Param({"1", "1000", "1000000"})
    public int keys;

    /**
     * Whether requests use the strings that the limiters have stored, with a cached hash, or new ones as over
     * HTTP.
     */
    @Param("same")
    public String strings = "same";

    String[] all = {};
    private char[][] characters = {};
    private int[] draws = {};

    @Setup
    public void draw() {
        all = new String[keys];
        for (int i = 0; i < keys; i++) {
            all[i] = "client-" + i;
        }
        characters = strings.equals("fresh")
                ? Arrays.stream(all).map(String::toCharArray).toArray(char[][]::new)
                : new char[0][];
        draws = new int[DRAWS];
        double[] cumulative = new double[keys];
        double sum = 0;
        for (int i = 0; i < keys; i++) {
            sum += 1.0 / (i + 1);
            cumulative[i] = sum;
        }
        // ranks are spread over the keys, so that frequent keys are not neighbours in memory
        int[] spread = shuffled(keys);
        Random random = new Random(42);
        for (int i = 0; i < DRAWS; i++) {
            int found = Arrays.binarySearch(cumulative, random.nextDouble() * sum);
            draws[i] = spread[Math.min(found < 0 ? -found - 1 : found, keys - 1)];
        }
    }

    private static int[] shuffled(int size) {
        int[] shuffled = new int[size];
        Random random = new Random(7);
        for (int i = 0; i < size; i++) {
            int j = random.nextInt(i + 1);
            shuffled[i] = shuffled[j];
            shuffled[j] = i;
        }
        return shuffled;
    }

    /** The position of a thread in the draws. */
    @State(Scope.Thread)
    public static class Cursor {

        private int position = System.identityHashCode(this) * 31;

        String next(Keys keys) {
            int drawn = keys.draws[position++ & DRAWS - 1];
            return keys.characters.length == 0 ? keys.all[drawn] : new String(keys.characters[drawn]);
        }
    }
}
