package dev.limiter.test;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Parses {@code RateLimit} and {@code RateLimit-Policy}: lists of strings with parameters. Supports only this subset of
 * RFC 9651.
 */
final class RateLimitFieldParser {

    private static final Pattern PARAMETER =
            Pattern.compile(";\\s*([a-z*][a-z0-9_.*-]*)(?:=(\"(?:[^\"\\\\]|\\\\.)*\"|[^;,\\s]+))?");
    private static final Pattern MEMBER =
            Pattern.compile("\\s*\"((?:[^\"\\\\]|\\\\.)*)\"((?:" + PARAMETER.pattern() + ")*)\\s*(,|$)");

    private RateLimitFieldParser() {}

    /** Returns the parameters of each member in order, without quotes; an empty map for an empty field. */
    static Map<String, Map<String, String>> parse(String field) {
        Map<String, Map<String, String>> members = new LinkedHashMap<>();
        Matcher member = MEMBER.matcher(field);
        int end = 0;
        while (end < field.length()) {
            if (!member.find(end) || member.start() != end) {
                throw new AssertionError("Not a list of strings with parameters: " + field);
            }
            members.put(unescape(member.group(1)), parameters(member.group(2)));
            end = member.end();
        }
        return members;
    }

    private static Map<String, String> parameters(String text) {
        Map<String, String> parameters = new LinkedHashMap<>();
        Matcher parameter = PARAMETER.matcher(text);
        while (parameter.find()) {
            String value = parameter.group(2);
            parameters.put(parameter.group(1), value == null ? "?1" : unescape(value.replaceAll("^\"|\"$", "")));
        }
        return parameters;
    }

    private static String unescape(String text) {
        return text.replaceAll("\\\\(.)", "$1");
    }
}
