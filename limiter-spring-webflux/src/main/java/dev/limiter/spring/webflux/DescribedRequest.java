package dev.limiter.spring.webflux;

import dev.limiter.spring.operate.RequestDescription;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.http.HttpCookie;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.http.server.RequestPath;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.util.LinkedMultiValueMap;
import org.springframework.util.MultiValueMap;
import org.springframework.util.StringUtils;
import org.springframework.web.util.UriUtils;
import reactor.core.publisher.Flux;

/**
 * A request with the parts of a description, without a body. Implements the interface: the constructors of Spring's base
 * class differ between its versions. Not thread-safe.
 */
final class DescribedRequest implements ServerHttpRequest {

    private final HttpMethod method;
    private final URI uri;
    private final RequestPath path;
    private final HttpHeaders headers = new HttpHeaders();
    private final MultiValueMap<String, String> parameters = new LinkedMultiValueMap<>();
    private final MultiValueMap<String, HttpCookie> cookies = new LinkedMultiValueMap<>();
    private final Map<String, Object> attributes = new HashMap<>();
    private final @Nullable InetSocketAddress peer;

    /**
     * Creates a request below the path of the application.
     *
     * @param prefix the path of the application, such as {@code /shop}, or empty
     * @throws IllegalArgumentException if the path or the query cannot be decoded
     */
    DescribedRequest(RequestDescription asked, String prefix) {
        this.method = HttpMethod.valueOf(asked.method());
        this.uri = URI.create(
                "http://localhost" + prefix + asked.path() + (asked.query() == null ? "" : "?" + asked.query()));
        this.path = RequestPath.parse(uri, prefix);
        this.peer = asked.address() == null ? null : new InetSocketAddress(resolved(asked.address()), 0);
        asked.headers().forEach(headers::addAll);
        for (String pair : StringUtils.tokenizeToStringArray(asked.query(), "&")) {
            String[] parts = (pair + "=").replace('+', ' ').split("=", 3);
            parameters.add(decoded(parts[0]), decoded(parts[1]));
        }
        asked.headers().getOrDefault(HttpHeaders.COOKIE, List.of()).stream()
                .flatMap(line -> List.of(line.split("; *")).stream())
                .filter(pair -> pair.indexOf('=') > 0)
                .map(pair -> pair.split("=", 2))
                .forEach(pair -> cookies.add(pair[0], new HttpCookie(pair[0], pair[1])));
    }

    /** A literal address, so no name is looked up. */
    private static InetAddress resolved(String address) {
        try {
            return InetAddress.getByName(address);
        } catch (UnknownHostException noAddress) {
            throw new IllegalArgumentException("Not an address: " + address, noAddress);
        }
    }

    private static String decoded(String text) {
        return UriUtils.decode(text, StandardCharsets.UTF_8);
    }

    @Override
    public String getId() {
        return "described";
    }

    @Override
    public HttpMethod getMethod() {
        return method;
    }

    @Override
    public URI getURI() {
        return uri;
    }

    @Override
    public RequestPath getPath() {
        return path;
    }

    @Override
    public HttpHeaders getHeaders() {
        return headers;
    }

    @Override
    public MultiValueMap<String, String> getQueryParams() {
        return parameters;
    }

    @Override
    public MultiValueMap<String, HttpCookie> getCookies() {
        return cookies;
    }

    @Override
    public Map<String, Object> getAttributes() {
        return attributes;
    }

    @Override
    public @Nullable InetSocketAddress getRemoteAddress() {
        return peer;
    }

    @Override
    public Flux<DataBuffer> getBody() {
        return Flux.empty();
    }
}
