package dev.limiter.spring.operate;

import dev.limiter.spring.address.IpAddress;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A hypothetical request, as an operator describes it. Immutable.
 *
 * @param method in upper case
 * @param path the encoded path with a leading slash, without the query
 * @param query the encoded query; null for none
 * @param address the peer; null if unknown
 * @param principal the name of the logged-in user; null for none
 * @param roles the roles of the principal
 * @param headers values by case-insensitive name
 */
public record RequestDescription(
        String method,
        String path,
        @Nullable String query,
        @Nullable String address,
        @Nullable String principal,
        List<String> roles,
        Map<String, List<String>> headers) {

    private static final String ROLE = "role";
    private static final String HEADER = "header.";
    private static final String COOKIE = "cookie.";
    private static final List<String> WORDS = List.of("path", "method", "ip", "principal", ROLE);

    /**
     * Parses {@code path} (with its query, or a whole URL), {@code method}, {@code ip}, {@code principal},
     * {@code role}, and one parameter for each header and cookie: {@code header.X-Api-Key}, {@code cookie.plan}. Roles
     * and headers can have several values.
     *
     * @throws IllegalArgumentException if a parameter is unknown, repeated or invalid
     */
    public static RequestDescription of(Map<String, List<String>> words) {
        Map<String, List<String>> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        words.forEach((word, values) -> {
            boolean cookie = word.startsWith(COOKIE);
            if (cookie || word.startsWith(HEADER)) {
                String name = word.substring(word.indexOf('.') + 1);
                headers.computeIfAbsent(cookie ? "Cookie" : name, unset -> new ArrayList<>())
                        .addAll(cookie ? List.of(name + "=" + values.get(0)) : values);
            } else if (!WORDS.contains(word)) {
                throw new IllegalArgumentException("The parameter \"" + word + "\" is unknown. Known are "
                        + String.join(", ", WORDS) + ", header.<name>, cookie.<name>.");
            } else if (values.size() > 1 && !word.equals(ROLE)) {
                throw new IllegalArgumentException(
                        "The parameter \"" + word + "\" is given " + values.size() + " times. Send it once.");
            }
        });
        String path = Objects.requireNonNullElse(first(words, "path"), "");
        URI url = URI.create(path.startsWith("//") ? "http://localhost" + path : path);
        if (url.getRawPath() == null || !url.getRawPath().startsWith("/")) {
            throw new IllegalArgumentException("path is \"" + path
                    + "\", but must begin with a slash, such as /orders/42?page=2, or be a whole URL.");
        }
        String address = first(words, "ip");
        if (address != null && IpAddress.parse(address) == null) {
            throw new IllegalArgumentException("ip is \"" + address + "\", but must be an address such as 192.0.2.7.");
        }
        return new RequestDescription(
                Objects.requireNonNullElse(first(words, "method"), "GET").toUpperCase(Locale.ROOT),
                url.getRawPath(),
                url.getRawQuery(),
                address,
                first(words, "principal"),
                words.getOrDefault(ROLE, List.of()),
                headers);
    }

    private static @Nullable String first(Map<String, List<String>> words, String word) {
        List<String> values = words.get(word);
        return values == null ? null : values.get(0);
    }

    /** Returns this request without a prefix of its path, if its path has the prefix. */
    public RequestDescription below(String prefix) {
        return prefix.isEmpty() || !path.startsWith(prefix + "/")
                ? this
                : new RequestDescription(
                        method, path.substring(prefix.length()), query, address, principal, roles, headers);
    }
}
