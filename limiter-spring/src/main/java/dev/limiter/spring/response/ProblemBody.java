package dev.limiter.spring.response;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.OptionalLong;

/**
 * The body of a rejection: RFC 9457 problem details, of the type that the IETF draft on RateLimit fields registers.
 * Written by hand, so that it does not depend on the JSON library of the application.
 */
public final class ProblemBody {

    public static final String MEDIA_TYPE = "application/problem+json";

    /** The most characters of a path that are repeated. */
    static final int MAX_PATH = 256;

    private static final String REGISTERED = "https://iana.org/assignments/http-problem-types#";

    /** The types of problems of rejected requests. */
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
        /** The storage did not decide, and the rule says to reject then. */
        UNDECIDED(REDUCED_CAPACITY.type, "undecided", REDUCED_CAPACITY.title);

        private final String type;
        private final String code;
        private final String title;

        /** The beginning of nearly all bodies. */
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

        /** The name in the codes of messages. */
        String code() {
            return code;
        }

        /** The title in English. */
        String title() {
            return title;
        }
    }

    private ProblemBody() {}

    /**
     * @param problem what it is about
     * @param path the path of the request as it was sent; of a long one, the beginning
     * @param violated the policies that rejected
     * @param retryAfter in seconds; empty if waiting is of no use
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

    /** A client knows what it asked for; each byte that it sent must not cost six to answer. */
    private static String shortened(String path) {
        int escape = path.lastIndexOf('%', MAX_PATH - 1);
        return path.substring(0, escape > MAX_PATH - 3 ? escape : MAX_PATH);
    }
}
