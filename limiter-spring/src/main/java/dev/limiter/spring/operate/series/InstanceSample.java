package dev.limiter.spring.operate.series;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.net.URLDecoder;
import java.net.URLEncoder;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The decisions of one instance since its last sample, as sent to others. Immutable.
 *
 * @param run of the instance, another one after each start
 * @param name for people
 * @param number of the sample, higher than that of the one before
 * @param waiting how many requests waited
 * @param rules the rules by name, and under {@link #OTHERS} the sum of the remaining ones; without rules that made no
 *     decision
 * @param resources those with the most decisions, of all rules
 */
record InstanceSample(
        String run,
        String name,
        long number,
        long waiting,
        Map<String, Count> rules,
        Map<RuleResource, Count> resources) {

    /** No rule has an empty name. */
    static final String OTHERS = "";

    private static final int MOST_LINES = 100;
    private static final int LONGEST = 32_768;
    private static final int LONGEST_NAME = 200;
    private static final long MOST = 1_000_000_000_000L;
    private static final String SEPARATOR = "\t";

    /** A line for the instance, then one for each rule and resource; names as in the query of a URL. At most 32 kB. */
    String text() {
        StringBuilder text = new StringBuilder(
                String.join(SEPARATOR, run, encoded(name), Long.toString(number), Long.toString(waiting)));
        Count others = Count.NONE;
        int lines = 0;
        for (Map.Entry<String, Count> rule : busiest(rules)) {
            String line = line(rule.getKey(), rule.getValue());
            if (lines < MOST_LINES && text.length() + line.length() < LONGEST / 2) {
                text.append(line);
                lines++;
            } else {
                others = others.plus(rule.getValue());
            }
        }
        if (others.decisions() > 0) {
            text.append(line(OTHERS, others));
        }
        for (Map.Entry<RuleResource, Count> entry : busiest(resources)) {
            String line = line(entry.getKey().rule(), entry.getValue())
                    + SEPARATOR
                    + encoded(entry.getKey().resource());
            if (lines < 2 * MOST_LINES && text.length() + line.length() < LONGEST) {
                text.append(line);
                lines++;
            }
        }
        return text.toString();
    }

    private static <K> List<Map.Entry<K, Count>> busiest(Map<K, Count> counts) {
        return counts.entrySet().stream()
                .sorted((a, b) ->
                        Long.compare(b.getValue().decisions(), a.getValue().decisions()))
                .toList();
    }

    private static String line(String rule, Count count) {
        return "\n"
                + String.join(
                        SEPARATOR,
                        encoded(rule),
                        Long.toString(count.permitted()),
                        Long.toString(count.refused()),
                        Long.toString(count.waiting()));
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
            InstanceSample sample = new InstanceSample(
                    words[0],
                    decoded(words[1]),
                    number(words[2]),
                    number(words[3]),
                    new LinkedHashMap<>(),
                    new HashMap<>());
            for (int i = 1; i < lines.length; i++) {
                String[] line = lines[i].split(SEPARATOR, -1);
                Count count = new Count(number(line[1]), number(line[2]), number(line[3]));
                if (line.length == 4) {
                    sample.rules.put(decoded(line[0]), count);
                } else {
                    sample.resources.put(new RuleResource(decoded(line[0]), decoded(line[4])), count);
                }
            }
            boolean named = sample.run.length() <= LONGEST_NAME && sample.name.length() <= LONGEST_NAME;
            return named ? Optional.of(sample) : Optional.empty();
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
