package dev.limiter.spring.operate.series;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.net.URLDecoder;
import java.net.URLEncoder;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What one instance decided since its last sample, as it tells others. Immutable.
 *
 * @param run of the instance, another one after each start
 * @param name for people
 * @param number of the sample, higher than that of the one before
 * @param waiting how many requests waited
 * @param rules the rules with most decisions by name, and under {@link #OTHERS} the sum of all others; without those that
 *     decided nothing
 */
record InstanceSample(String run, String name, long number, int waiting, Map<String, Count> rules) {

    /** No rule has an empty name. */
    static final String OTHERS = "";

    private static final int MOST_RULES = 100;
    private static final int LONGEST = 32_768;
    private static final int LONGEST_NAME = 200;
    private static final long MOST = 1_000_000_000_000L;
    private static final String SEPARATOR = "\t";

    /** A line for the instance, then one for each rule; names as in the query of a URL. At most 32 kB. */
    String text() {
        StringBuilder text = new StringBuilder(
                String.join(SEPARATOR, run, encoded(name), Long.toString(number), Integer.toString(waiting)));
        List<Map.Entry<String, Count>> busiest = rules.entrySet().stream()
                .sorted((a, b) ->
                        Long.compare(b.getValue().decisions(), a.getValue().decisions()))
                .toList();
        Count others = Count.NONE;
        int lines = 0;
        for (Map.Entry<String, Count> rule : busiest) {
            String line = line(rule.getKey(), rule.getValue());
            if (lines < MOST_RULES && text.length() + line.length() < LONGEST - 100) {
                text.append(line);
                lines++;
            } else {
                others = others.plus(rule.getValue());
            }
        }
        return others.decisions() == 0
                ? text.toString()
                : text.append(line(OTHERS, others)).toString();
    }

    private static String line(String rule, Count count) {
        return "\n"
                + String.join(
                        SEPARATOR, encoded(rule), Long.toString(count.permitted()), Long.toString(count.refused()));
    }

    private static String encoded(String name) {
        return URLEncoder.encode(name, UTF_8);
    }

    /** Empty if an instance would not have written that. */
    static Optional<InstanceSample> parse(String text) {
        if (text.length() > LONGEST) {
            return Optional.empty();
        }
        try {
            String[] lines = text.split("\n");
            String[] words = lines[0].split(SEPARATOR, -1);
            Map<String, Count> rules = new LinkedHashMap<>();
            for (int i = 1; i < lines.length; i++) {
                String[] rule = lines[i].split(SEPARATOR, -1);
                rules.put(decoded(rule[0]), new Count(number(rule[1]), number(rule[2])));
            }
            return words.length != 4 || words[0].length() > LONGEST_NAME || words[1].length() > LONGEST_NAME
                    ? Optional.empty()
                    : Optional.of(new InstanceSample(
                            words[0], decoded(words[1]), number(words[2]), (int) number(words[3]), rules));
        } catch (IllegalArgumentException | IndexOutOfBoundsException foreign) {
            return Optional.empty();
        }
    }

    private static String decoded(String name) {
        return URLDecoder.decode(name, UTF_8);
    }

    private static long number(String digits) {
        long number = Long.parseLong(digits);
        if (number < 0 || number > MOST) {
            throw new IllegalArgumentException(digits);
        }
        return number;
    }
}
