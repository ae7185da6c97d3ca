package dev.limiter.spring.operate;

import dev.limiter.spring.address.IpAddress;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A request that was not sent, as an operator describes it. Immutable.
 *
 * @param method in upper case
 * @param path from the first slash on, as it would be sent, without the query
 * @param query as it would be sent; null for none
 * @param address of the other end of the connection; null if the operator leaves that open
 * @param principal the name of the logged-in user; null for none
 * @param roles of the principal
 * @param headers by their names, in any case
 * @param parameters of the query
 * @param cookies by their names
 */
public record HypotheticalRequest(
        String method,
        String path,
        @Nullable String query,
        @Nullable String address,
        @Nullable String principal,
        List<String> roles,
        Map<String, List<String>> headers,
        Map<String, List<String>> parameters,
        Map<String, String> cookies) {

    private static final String HEADER = "header.";
    private static final String COOKIE = "cookie.";
    private static final String KNOWN =
            "path, method, ip, principal, role, header.<name>, cookie.<name>; parameters belong into the path, after ?";

    /**
     * The request that these words describe: {@code path} (also a whole URL), {@code method}, {@code ip}, {@code
     * principal}, {@code role}, and one for each header and cookie: {@code header.X-Api-Key}, {@code cookie.plan}.
     * Several values of one word are several headers or roles.
     *
     * @throws IllegalArgumentException if a word is not known, has more values than it can have, or one
     *     that is impossible
     */
    public static HypotheticalRequest of(Map<String, List<String>> words) {
        Map<String, List<String>> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        Map<String, String> cookies = new LinkedHashMap<>();
        words.forEach((word, values) -> {
            if (word.startsWith(HEADER) && word.length() > HEADER.length()) {
                headers.put(word.substring(HEADER.length()), List.copyOf(values));
            } else if (word.startsWith(COOKIE) && word.length() > COOKIE.length()) {
                cookies.put(word.substring(COOKIE.length()), one(words, word, ""));
            } else if (!List.of("path", "method", "ip", "principal", "role").contains(word)) {
                throw new IllegalArgumentException("\"" + word + "\" describes no request. Known: " + KNOWN + ".");
            }
        });
        URI url = url(one(words, "path", ""));
        String address = words.containsKey("ip") ? one(words, "ip", "") : null;
        if (address != null && IpAddress.parse(address) == null) {
            throw new IllegalArgumentException("ip is \"" + address + "\", but must be an address such as 192.0.2.7.");
        }
        return new HypotheticalRequest(
                method(one(words, "method", "GET")),
                url.getRawPath(),
                url.getRawQuery(),
                address,
                words.containsKey("principal") ? one(words, "principal", "") : null,
                List.copyOf(words.getOrDefault("role", List.of())),
                headers,
                parameters(url.getRawQuery()),
                cookies);
    }

    /** This request at another path. */
    public HypotheticalRequest at(String other) {
        return new HypotheticalRequest(method, other, query, address, principal, roles, headers, parameters, cookies);
    }

    private static String one(Map<String, List<String>> words, String word, String otherwise) {
        List<String> values = words.getOrDefault(word, List.of(otherwise));
        if (values.size() != 1) {
            throw new IllegalArgumentException("\"" + word + "\" is given " + values.size() + " times; say it once.");
        }
        return values.get(0);
    }

    private static String method(String text) {
        if (!text.matches("[A-Za-z]+")) {
            throw new IllegalArgumentException("method is \"" + text + "\", but must be one such as GET.");
        }
        return text.toUpperCase(Locale.ROOT);
    }

    private static URI url(String text) {
        try {
            // two slashes are part of a path here, and would be a host by themselves
            URI url = new URI(text.startsWith("//") ? "http://localhost" + text : text);
            if (url.getRawPath() != null && url.getRawPath().startsWith("/")) {
                return url;
            }
        } catch (URISyntaxException wrong) {
            // is told like all others
        }
        throw new IllegalArgumentException("path is \"" + text
                + "\", but must begin with a slash, and be encoded as in a URL: /orders/42?page=2, or the whole URL.");
    }

    private static Map<String, List<String>> parameters(@Nullable String query) {
        Map<String, List<String>> parameters = new LinkedHashMap<>();
        for (String pair : query == null || query.isEmpty() ? new String[0] : query.split("&")) {
            int equals = pair.indexOf('=');
            String name = equals < 0 ? pair : pair.substring(0, equals);
            parameters
                    .computeIfAbsent(decoded(name), absent -> new ArrayList<>())
                    .add(equals < 0 ? "" : decoded(pair.substring(equals + 1)));
        }
        return parameters;
    }

    private static String decoded(String text) {
        return URLDecoder.decode(text, StandardCharsets.UTF_8);
    }
}
