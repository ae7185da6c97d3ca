package dev.limiter.benchmarks;

import dev.limiter.Limit;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.TreeSet;

/**
 * Draws an SVG of the same {@link Trace} for each algorithm. {@code java -cp benchmarks.jar
 * dev.limiter.benchmarks.TraceDrawing docs/reference/images}
 */
public final class TraceDrawing {

    private static final Duration SECOND = Duration.ofSeconds(1);

    /** {@code bound}: the most that the limit may permit over any window. */
    record Picture(String file, String title, Limit limit, long bound) {}

    static final List<Picture> PICTURES = List.of(
            new Picture("fixed-window", "Fixed window, 20 per second", Limit.fixedWindow(20, SECOND), 40),
            new Picture(
                    "sliding-window-counter",
                    "Sliding window counter with 10 buckets, 20 per second",
                    Limit.slidingWindowCounter(20, SECOND),
                    22),
            new Picture(
                    "sliding-window-counter-1",
                    "Sliding window counter with 1 bucket, 20 per second",
                    Limit.slidingWindowCounter(20, SECOND).buckets(1),
                    40),
            new Picture(
                    "sliding-window-log", "Sliding window log, 20 per second", Limit.slidingWindowLog(20, SECOND), 20),
            new Picture("token-bucket", "Token bucket, 20 per second, burst 20", Limit.tokenBucket(20, SECOND), 40),
            new Picture(
                    "leaky-bucket",
                    "Leaky bucket, 20 per second, burst 5",
                    Limit.leakyBucket(20, SECOND).burst(5),
                    25));

    private static final int LEFT = 44;
    private static final int STEP_WIDTH = 8;
    private static final int WIDTH = STEP_WIDTH * Trace.STEPS;

    /** The two panels: bars per step above, the sum of the last second below. */
    private static final int BARS_BOTTOM = 226;

    private static final int BAR_UNIT = 6;
    private static final int BARS_TOP = BARS_BOTTOM - 20 * BAR_UNIT;
    private static final int SUM_BOTTOM = 394;
    private static final double SUM_UNIT = 3;
    private static final int SUM_TOP = SUM_BOTTOM - (int) (40 * SUM_UNIT);

    private static final String STYLE = """
            <style>
            text { font: 12px system-ui, -apple-system, "Segoe UI", Helvetica, Arial, sans-serif; fill: #57606a }
            .card { fill: #fff; stroke: #d0d7de }
            .title { font-size: 16px; font-weight: 600; fill: #1f2328 }
            .strong { font-weight: 600; fill: #1f2328 }
            .grid { stroke: #d8dee4 }
            .edge { stroke: #afb8c1 }
            .axis { stroke: #8c959f }
            .in { fill: #b6d4f5 }
            .out { fill: #0a57b5 }
            .fullest { fill: #d4a72c; fill-opacity: .22 }
            .sum { fill: none; stroke: #0a57b5; stroke-width: 1.5; stroke-linejoin: round }
            .peak { fill: #0a57b5 }
            .limit { stroke: #57606a }
            .bound { stroke: #bc4c00; stroke-dasharray: 5 4 }
            .excess { fill: #bc4c00 }
            @media (prefers-color-scheme: dark) {
            text { fill: #9198a1 }
            .card { fill: #0d1117; stroke: #3d444d }
            .title, .strong { fill: #f0f6fc }
            .grid { stroke: #2a313c }
            .edge { stroke: #4b535d }
            .axis { stroke: #656c76 }
            .in { fill: #2c5c94 }
            .out { fill: #8fc7ff }
            .fullest { fill: #e3b341; fill-opacity: .2 }
            .sum { stroke: #8fc7ff }
            .peak { fill: #8fc7ff }
            .limit { stroke: #9198a1 }
            .bound { stroke: #f0883e }
            .excess { fill: #f0883e }
            }
            </style>
            """;

    private final Picture picture;
    private final Trace trace;
    private final StringBuilder svg = new StringBuilder();

    private TraceDrawing(Picture picture) {
        this.picture = picture;
        this.trace = Trace.of(picture.limit());
    }

    /** @param args the folder to write to */
    public static void main(String[] args) throws IOException {
        Path folder = Files.createDirectories(Path.of(args[0]));
        for (Picture picture : PICTURES) {
            Files.writeString(folder.resolve(picture.file() + ".svg"), draw(picture));
        }
    }

    static String draw(Picture picture) {
        return new TraceDrawing(picture).draw();
    }

    private String draw() {
        svg.append("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"920\" height=\"436\" viewBox=\"0 0 920 436\""
                + " role=\"img\" aria-labelledby=\"title desc\">\n");
        add("<title id=\"title\">%s</title>", picture.title());
        add("<desc id=\"desc\">%s</desc>", description());
        svg.append(STYLE);
        add("<rect class=\"card\" x=\".5\" y=\".5\" width=\"919\" height=\"435\" rx=\"6\"/>");
        header();
        fullest();
        grid();
        bars();
        sum();
        return svg.append("</svg>\n").toString();
    }

    private String description() {
        return String.format(
                Locale.ROOT,
                "Ten seconds in steps of 100 ms. Requests come at half the rate for one second, then at twice the rate"
                        + " for three; 30 within 200 ms at 5.4 s; 20 within 100 ms on each side of the window boundary"
                        + " at 8 s, then at twice the rate until 9.5 s. %d of %d are permitted, at most %d in any"
                        + " window of one second; the bound is %d.",
                trace.permitted().size(),
                trace.requests().size(),
                trace.largest(),
                picture.bound());
    }

    private void header() {
        add("<text class=\"title\" x=\"16\" y=\"30\">%s</text>", picture.title());
        legend(16, "in", "requests");
        legend(104, "out", "permitted");
        legend(208, "fullest", "the second with the most permitted: " + trace.largest());
        add("<path class=\"edge\" d=\"M528 44v14\"/>");
        add("<text x=\"536\" y=\"55\">boundary of a window</text>");
        for (Trace.Phase phase : Trace.PHASES) {
            boolean narrow = phase.to() - phase.from() < 5;
            add(
                    "<text x=\"%s\" y=\"%d\" text-anchor=\"%s\">%s</text>",
                    narrow ? x(phase.to()) : x((phase.from() + phase.to()) / 2.0),
                    BARS_TOP - 8,
                    narrow ? "end" : "middle",
                    phase.name());
        }
    }

    private void legend(int x, String kind, String text) {
        add("<rect class=\"%s\" x=\"%d\" y=\"45\" width=\"12\" height=\"12\"/>", kind, x);
        add("<text x=\"%d\" y=\"55\">%s</text>", x + 18, text);
    }

    private void fullest() {
        long end = trace.fullest();
        String x = x((double) (end - Trace.SECOND) / Trace.STEP);
        for (int[] panel : new int[][] {{BARS_TOP, BARS_BOTTOM}, {SUM_TOP, SUM_BOTTOM}}) {
            add(
                    "<rect class=\"fullest\" x=\"%s\" y=\"%d\" width=\"%d\" height=\"%d\"/>",
                    x, panel[0], 10 * STEP_WIDTH, panel[1] - panel[0]);
        }
    }

    private void grid() {
        for (int second = 0; second <= 10; second++) {
            String x = x(10 * second);
            add("<path class=\"edge\" d=\"M%s %dV%dM%1$s %dV%d\"/>", x, BARS_TOP, BARS_BOTTOM, SUM_TOP, SUM_BOTTOM);
            add("<text x=\"%s\" y=\"%d\" text-anchor=\"middle\">%d s</text>", x, SUM_BOTTOM + 18, second);
        }
        for (int count = 0; count <= 20; count += 10) {
            tick(count, BARS_BOTTOM - BAR_UNIT * count);
            tick(2 * count, (int) sumY(2 * count));
        }
        add("<text class=\"strong\" x=\"16\" y=\"%d\">per 100 ms</text>", BARS_TOP - 26);
        add("<text class=\"strong\" x=\"16\" y=\"%d\">permitted in the last second</text>", SUM_TOP - 12);
    }

    private void tick(int count, int y) {
        add("<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%d</text>", LEFT - 8, y + 4, count);
        add("<path class=\"%s\" d=\"M%d %dh%d\"/>", count == 0 ? "axis" : "grid", LEFT, y, WIDTH);
    }

    private void bars() {
        for (int step = 0; step < Trace.STEPS; step++) {
            bar("in", step, Trace.inStep(trace.requests(), step));
            bar("out", step, Trace.inStep(trace.permitted(), step));
        }
    }

    private void bar(String kind, int step, long count) {
        if (count > 0) {
            add(
                    "<rect class=\"%s\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/>",
                    kind,
                    LEFT + STEP_WIDTH * step + 1,
                    BARS_BOTTOM - BAR_UNIT * count,
                    STEP_WIDTH - 2,
                    BAR_UNIT * count);
        }
    }

    private void sum() {
        long limit = picture.limit().limit();
        boolean near = picture.bound() - limit < 6;
        line("limit", limit, near ? 13 : 4);
        line("bound", picture.bound(), near ? -4 : 4);
        StringBuilder path = new StringBuilder("M" + LEFT + " " + SUM_BOTTOM);
        TreeSet<Long> changes = new TreeSet<>(trace.permitted());
        trace.permitted().forEach(time -> changes.add(time + Trace.SECOND));
        for (long time : changes.headSet(Trace.STEPS * Trace.STEP)) {
            path.append("H").append(x((double) time / Trace.STEP));
            path.append("V").append(number(sumY(trace.inSecondUntil(time))));
        }
        add("<path class=\"sum\" d=\"%sH%d\"/>", path, LEFT + WIDTH);
        String x = x((double) trace.fullest() / Trace.STEP);
        add("<circle class=\"peak\" cx=\"%s\" cy=\"%s\" r=\"3.5\"/>", x, number(sumY(trace.largest())));
    }

    private void line(String kind, long count, int shift) {
        int y = (int) sumY(count);
        add("<path class=\"%s\" d=\"M%d %dh%d\"/>", kind, LEFT, y, WIDTH);
        add(
                "<text class=\"%s\" x=\"%d\" y=\"%d\">%s %d</text>",
                kind.equals("bound") ? "excess" : "strong", LEFT + WIDTH + 6, y + shift, kind, count);
    }

    private static double sumY(long count) {
        return SUM_BOTTOM - SUM_UNIT * count;
    }

    private static String x(double step) {
        return number(LEFT + STEP_WIDTH * step);
    }

    /** Formats with at most two decimals, without trailing zeros. */
    private static String number(double value) {
        return String.format(Locale.ROOT, "%.2f", value).replaceFirst("\\.?0+$", "");
    }

    private void add(String format, Object... values) {
        svg.append(String.format(Locale.ROOT, format, values)).append('\n');
    }
}
