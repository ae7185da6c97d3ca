package dev.limiter.spring.web;

import java.util.List;
import java.util.OptionalLong;

/**
 * The body of a rejection: RFC 9457 problem details, of the type that the IETF draft on RateLimit fields registers.
 * Written by hand, so that it does not depend on the JSON library of the application.
 */
final class ProblemBody {

    static final String MEDIA_TYPE = "application/problem+json";

    private static final String REGISTERED = "https://iana.org/assignments/http-problem-types#";

    /** What can be wrong with a request that is rejected. */
    enum Problem {
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
        /** Nobody could decide, and the rule says to refuse then. */
        UNDECIDED(REDUCED_CAPACITY.type, "undecided", REDUCED_CAPACITY.title);

        private final String type;
        private final String code;
        private final String title;

        Problem(String type, String code, String title) {
            this.type = type;
            this.code = code;
            this.title = title;
        }

        /** What it is called in the codes of messages. */
        String code() {
            return code;
        }

        /** In English. */
        String title() {
            return title;
        }
    }

    private ProblemBody() {}

    /**
     * @param problem what it is about
     * @param path the path of the request as it was sent
     * @param violated the policies that refused
     * @param retryAfter in seconds; empty if waiting is of no use
     */
    static String json(
            Problem problem,
            String title,
            int status,
            String detail,
            String path,
            List<String> violated,
            OptionalLong retryAfter) {
        StringBuilder json = new StringBuilder(400);
        json.append("{\"type\":");
        string(json, problem.type).append(",\"title\":");
        string(json, title).append(",\"status\":").append(status).append(",\"detail\":");
        string(json, detail).append(",\"instance\":");
        string(json, path);
        if (problem != Problem.FORBIDDEN) {
            json.append(",\"violated-policies\":[");
            for (int i = 0; i < violated.size(); i++) {
                string(json.append(i == 0 ? "" : ","), violated.get(i));
            }
            json.append(']');
        }
        retryAfter.ifPresent(seconds -> json.append(",\"retry-after\":").append(seconds));
        return json.append('}').toString();
    }

    private static StringBuilder string(StringBuilder json, String text) {
        json.append('"');
        for (int i = 0; i < text.length(); i++) {
            character(json, text.charAt(i));
        }
        return json.append('"');
    }

    /** What is not printable ASCII is escaped: the body is the same in every encoding, and harmless in HTML. */
    private static void character(StringBuilder json, char c) {
        if (c == '"' || c == '\\') {
            json.append('\\').append(c);
        } else if (c < ' ' || c > '~' || c == '<' || c == '>' || c == '&') {
            json.append(String.format("\\u%04x", (int) c));
        } else {
            json.append(c);
        }
    }
}
