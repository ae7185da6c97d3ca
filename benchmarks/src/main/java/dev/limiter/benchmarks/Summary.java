package dev.limiter.benchmarks;

import java.util.List;
import java.util.Locale;

/** Ways to write the values of several rounds in one cell. */
enum Summary {
    /** The median, with the smallest and largest value. */
    RANGE {
        @Override
        String of(List<Double> values) {
            return number(median(values)) + between(values, 0, 1);
        }
    },

    /** The median, with the quartiles: for many rounds, some of them disturbed. */
    MIDDLE_HALF {
        @Override
        String of(List<Double> values) {
            return number(median(values)) + between(values, 0.25, 0.75);
        }
    },

    /** The median, and half the distance between the smallest and largest value. */
    PLUS_MINUS {
        @Override
        String of(List<Double> values) {
            double half = (quantile(values, 1) - quantile(values, 0)) / 2;
            return number(median(values)) + " \u00b1 " + number(half);
        }
    },

    /** The median alone. */
    MEDIAN {
        @Override
        String of(List<Double> values) {
            return number(median(values));
        }
    },

    LARGEST {
        @Override
        String of(List<Double> values) {
            return number(quantile(values, 1));
        }
    };

    abstract String of(List<Double> values);

    private static String between(List<Double> values, double low, double high) {
        String least = number(quantile(values, low));
        String most = number(quantile(values, high));
        return least.equals(most) ? "" : " (" + least + " to " + most + ")";
    }

    /** Formats with three digits, or with all digits before the point. */
    static String number(double value) {
        double size = Math.abs(value);
        String format = size >= 100 || value == Math.rint(value) ? "%,.0f" : size >= 9.995 ? "%.1f" : "%.2f";
        return String.format(Locale.ROOT, size > 0 && size < 0.095 ? "%.3f" : format, value);
    }

    static double median(List<Double> values) {
        return quantile(values, 0.5);
    }

    private static double quantile(List<Double> values, double quantile) {
        double[] sorted = values.stream().mapToDouble(value -> value).sorted().toArray();
        double position = quantile * (sorted.length - 1);
        double below = sorted[(int) position];
        double above = sorted[(int) Math.ceil(position)];
        return below + (above - below) * (position - (int) position);
    }
}
