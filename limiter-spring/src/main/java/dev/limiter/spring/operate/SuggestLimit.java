package dev.limiter.spring.operate;

import dev.limiter.spring.address.AddressSettings;
import dev.limiter.spring.compile.DurationParser;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Suggests a limit from an access log in the common or combined format: {@code java -cp … SuggestLimit 1m 0.1%
 * access.log}, where the key is the address at the beginning of each line, as {@code key: ip} has it. Lines that are
 * none are counted and left out.
 */
public final class SuggestLimit {

    private static final Pattern LINE = Pattern.compile("(\\S+) .*?\\[([^]]+)] .*");
    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("dd/MMM/yyyy:HH:mm:ss Z", Locale.ENGLISH);

    private SuggestLimit() {}

    /**
     * Ends with status 2 and a line about the use if arguments are missing or wrong, or the file cannot be read
     * or has no request.
     */
    public static void main(String[] arguments) {
        System.exit(run(arguments, System.out, System.err));
    }

    static int run(String[] arguments, PrintStream out, PrintStream errors) {
        if (arguments.length != 3) {
            errors.println(
                    "Use: SuggestLimit <window, such as 1m> <share of the clients, such as 0.1%> <access log, or - >");
            return 2;
        }
        try {
            Duration window = DurationParser.parse(arguments[0]);
            if (window.isZero() || window.isNegative()) {
                throw new IllegalArgumentException(arguments[0] + " is no window: write one of some time, such as 1m.");
            }
            double share = share(arguments[1]);
            PeakDemand demand = new PeakDemand(window);
            long others = 0;
            try (BufferedReader log = reader(arguments[2])) {
                for (String line = log.readLine(); line != null; line = log.readLine()) {
                    others += add(demand, line) ? 0 : 1;
                }
            }
            PeakDemand.Suggestion suggestion = demand.suggest(share);
            if (suggestion.requests() == 0) {
                throw new IllegalArgumentException("No line of " + arguments[2]
                        + " is a request in the common or combined format; " + others + " lines are something else.");
            }
            out.println("limit: " + suggestion.limit());
            out.println("window: " + arguments[0]);
            out.println("# from " + suggestion.requests() + " requests of " + suggestion.keys() + " clients; " + others
                    + " lines were none");
            return 0;
        } catch (IllegalArgumentException | IOException wrong) {
            errors.println(String.valueOf(wrong.getMessage()));
            return 2;
        }
    }

    private static BufferedReader reader(String file) throws IOException {
        return file.equals("-")
                ? new BufferedReader(new InputStreamReader(System.in, StandardCharsets.ISO_8859_1))
                : Files.newBufferedReader(Path.of(file), StandardCharsets.ISO_8859_1);
    }

    private static boolean add(PeakDemand demand, String line) {
        Matcher matcher = LINE.matcher(line);
        if (!matcher.matches()) {
            return false;
        }
        try {
            Instant time = OffsetDateTime.parse(matcher.group(2), TIME).toInstant();
            demand.add(
                    AddressSettings.DEFAULT.client(matcher.group(1)),
                    1,
                    TimeUnit.SECONDS.toNanos(time.getEpochSecond()));
            return true;
        } catch (DateTimeException none) {
            return false;
        }
    }

    /**
     * A share such as {@code 0.1%} as a number from 0 to 1.
     *
     * @throws IllegalArgumentException if it is none, or 100% or more
     */
    public static double share(String text) {
        Matcher number = Pattern.compile("([0-9]{1,2}(?:\\.[0-9]{1,6})?) ?%?").matcher(text.strip());
        if (!number.matches()) {
            throw new IllegalArgumentException(
                    "\"" + text + "\" is no share of the keys: write one from 0% to 99%, such as 0.1%.");
        }
        return Double.parseDouble(number.group(1)) / 100;
    }
}
