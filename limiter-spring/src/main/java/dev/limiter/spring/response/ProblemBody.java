package dev.limiter.spring.response;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.OptionalLong;

/**
 * Writes the body of a rejection: RFC 9457 problem details, with the types that the IETF draft on RateLimit fields
 * registers. It does not depend on the JSON library of the application.
 */
public final class ProblemBody {

    public static final String MEDIA_TYPE = "application/problem+json";

    /** The most characters of the path in a body. */
    static final int MAX_PATH = 256;

    private static final String REGISTERED = "https://iana.org/assignments/http-problem-types#";

    /** The problem types of rejected requests. */
    public enum Problem {
        FORBIDDEN("about:blank", "denied", "Forbidden"),
        QUOTA_EXCEEDED(
                REGISTERED + "quota-exceeded",
                "rejected",
                "Request cannot be satisfied as assigned quota has been exceeded"),
        ABNORMAL_USAGE(
                REGISTERED + "abnormal-usage-detected",
                "banned",
                "Request not satisfied due to detection of abnormal request pattern"),
        REDUCED_CAPACITY(
                REGISTERED + "temporary-reduced-capacity",
                "overloaded",
                "Request cannot be satisfied due to temporary server capacity constraints"),
        /** The storage is unavailable, and the rule has {@code on-failure: deny}. */
        UNDECIDED(REDUCED_CAPACITY.type, "undecided", REDUCED_CAPACITY.title);

        private final String type;
        private final String code;
        private final String title;

        /** The beginning of most bodies. */
        private final byte[] inEnglish;

        Problem(String type, String code, String title) {
            this.type = type;
            this.code = code;
            this.title = title;
            this.inEnglish = beginning(title);
        }

        private byte[] beginning(String title) {
            String text = "{\"type\":\"" + type + "\",\"title\":\"" + AsciiText.escaped(title) + "\",\"status\":";
            return text.getBytes(StandardCharsets.US_ASCII);
        }

        /** Returns the name in message codes. */
        String code() {
            return code;
        }

        /** Returns the title in English. */
        String title() {
            return title;
        }
    }

    private ProblemBody() {}

    /**
     * Returns a body.
     *
     * @param problem the problem type
     * @param path the path of the request as it was sent; a long one is cut
     * @param violated the policies that rejected the request
     * @param retryAfter the seconds until the next try; empty if waiting does not help
     */
    public static AsciiText json(
            Problem problem,
            String title,
            int status,
            String detail,
            String path,
            List<String> violated,
            OptionalLong retryAfter) {
        boolean named = problem != Problem.FORBIDDEN;
        return new AsciiText(
                title.equals(problem.title) ? problem.inEnglish : problem.beginning(title),
                status + ",\"detail\":\"",
                AsciiText.escaped(detail),
                "\",\"instance\":\"",
                AsciiText.escaped(path.length() <= MAX_PATH ? path : shortened(path)),
                named ? "\",\"violated-policies\":[" : "\"",
                named ? quoted(violated) : "",
                named ? "]" : "",
                retryAfter.isPresent() ? ",\"retry-after\":" + retryAfter.getAsLong() + "}" : "}");
    }

    private static String quoted(List<String> names) {
        String quoted = "";
        for (String name : names) {
            quoted += (quoted.isEmpty() ? "\"" : ",\"") + AsciiText.escaped(name) + "\"";
        }
        return quoted;
    }

    /** Cuts a long path, because escapes could make the response six times as long as the request. */
    private static String shortened(String path) {
        int escape = path.lastIndexOf('%', MAX_PATH - 1);
        return path.substring(0, escape > MAX_PATH - 3 ? escape : MAX_PATH);
    }
}
