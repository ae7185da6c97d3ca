package dev.limiter.benchmarks.harness;

import java.util.Optional;

/**
 * A value of one round, for a cell of a table in docs/internals/benchmarks.md. Programs print their values as
 * lines; {@code Tables} collects the lines of all rounds.
 *
 * @param column a column of the {@code Layout} of the table
 */
public record Measurement(String table, String row, String column, double value) {

    private static final String MARK = "measured";

    /** Prints a line that {@link #parse} reads. */
    public void print() {
        System.out.println(String.join("\t", MARK, table, row, column, Double.toString(value)));
    }

    /** Returns empty for a line that is not a measurement. */
    public static Optional<Measurement> parse(String line) {
        String[] fields = line.split("\t", -1);
        return fields.length == 5 && fields[0].equals(MARK)
                ? Optional.of(new Measurement(fields[1], fields[2], fields[3], Double.parseDouble(fields[4])))
                : Optional.empty();
    }
}
