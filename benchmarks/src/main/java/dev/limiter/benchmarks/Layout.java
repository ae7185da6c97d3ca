package dev.limiter.benchmarks;

import dev.limiter.benchmarks.harness.Measurement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The columns of a table in docs/internals/benchmarks.md, and its text. Rows are in the order in which they were
 * first measured.
 *
 * @param table the table of its {@link Measurement}s
 * @param corner the head of the column of rows
 */
record Layout(String table, String corner, List<Column> columns) {

    /**
     * @param measured the name of the column in measurements
     * @param baseline a row of the same column; the ratio to it is added in brackets
     */
    record Column(
            String title,
            String measured,
            Summary summary,
            String unit,
            @Nullable String baseline) {

        Column(String title, Summary summary, String unit) {
            this(title, title, summary, unit, null);
        }

        private String cell(Map<String, Map<String, List<Double>>> rows, String row) {
            List<Double> values = rows.get(row).get(measured);
            if (values == null) {
                return "";
            }
            String text = summary.of(values) + unit;
            List<Double> base = baseline == null
                    ? null
                    : rows.getOrDefault(baseline, Map.of()).get(measured);
            return base == null || base.size() != values.size()
                    ? text
                    : text + " (" + String.format("%.2f", ratio(values, base)) + ")";
        }

        /** Returns the ratio within a round, because a slow minute of the machine slows both. */
        private static double ratio(List<Double> values, List<Double> base) {
            return Summary.median(IntStream.range(0, values.size())
                    .mapToObj(round -> values.get(round) / base.get(round))
                    .toList());
        }
    }

    /** Returns the table in Markdown, without measurements of other tables. */
    List<String> lines(List<Measurement> measurements) {
        Map<String, Map<String, List<Double>>> rows = new LinkedHashMap<>();
        for (Measurement each : measurements) {
            if (each.table().equals(table)) {
                rows.computeIfAbsent(each.row(), row -> new LinkedHashMap<>())
                        .computeIfAbsent(each.column(), column -> new ArrayList<>())
                        .add(each.value());
            }
        }
        List<String> lines = new ArrayList<>();
        lines.add(line(corner, columns.stream().map(Column::title).toList()));
        lines.add(line("---", columns.stream().map(column -> "---:").toList()));
        for (String row : rows.keySet()) {
            lines.add(line(
                    row, columns.stream().map(column -> column.cell(rows, row)).toList()));
        }
        return lines;
    }

    private static String line(String first, List<String> others) {
        return ("| " + first + " | " + String.join(" | ", others) + " |").replace("|  |", "| |");
    }
}
