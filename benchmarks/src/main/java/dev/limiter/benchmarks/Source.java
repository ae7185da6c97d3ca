package dev.limiter.benchmarks;

import dev.limiter.benchmarks.harness.Measurement;
import java.util.List;
import java.util.function.Consumer;

/** The source of the values of a table. */
interface Source {

    void measure(int rounds, Consumer<Measurement> into) throws Exception;

    /** Runs all sources in each round, so that other work on the machine affects all of them. */
    static Source inTurn(List<Source> sources) {
        return (rounds, into) -> {
            for (int round = 0; round < rounds; round++) {
                System.err.printf("round %d of %d%n", round + 1, rounds);
                for (Source source : sources) {
                    source.measure(1, into);
                }
            }
        };
    }

    static Source all(List<Source> sources) {
        return (rounds, into) -> {
            for (Source source : sources) {
                source.measure(rounds, into);
            }
        };
    }
}
