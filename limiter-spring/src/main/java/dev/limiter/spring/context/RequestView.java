package dev.limiter.spring.context;

import dev.limiter.spring.address.ClientAddress;
import java.security.Principal;
import org.jspecify.annotations.Nullable;

/**
 * The request as keys and expressions see it ({@code #request}). A missing value is null. Not thread-safe; no method
 * blocks, but {@link #getParameter} may read the body of a form.
 */
public interface RequestView {

    /** The HTTP method as sent. */
    String method();

    /** The path within the application as sent, not decoded. */
    String path();

    /** The first value of a header, by its name in any case. */
    @Nullable
    String getHeader(String name);

    /** A parameter of the query or of a form. */
    @Nullable
    String getParameter(String name);

    /** The value of a cookie. */
    @Nullable
    String cookie(String name);

    /** The id of the session that exists; none is created, and an id that only the client claims does not count. */
    @Nullable
    String sessionId();

    /** The pattern of the endpoint, such as {@code /orders/{id}}. */
    default @Nullable String pattern() {
        return null;
    }

    /** The value of the variable {@code name} in the pattern of the endpoint. */
    @Nullable
    String pathVariable(String name);

    /** The logged-in user. */
    @Nullable
    Principal principal();

    /** Whether the logged-in user has a role; false without a user. */
    boolean isUserInRole(String role);

    /**
     * The client as {@code key: ip} knows it: an IPv4 address, or the network of an IPv6 address; {@code contradictory}
     * where {@code Forwarded} and {@code X-Forwarded-For} of a trusted proxy name different clients.
     */
    @Nullable
    String clientAddress();

    /**
     * The client by its address, not cut to a network; null if it has none, such as the other end of a local socket.
     */
    @Nullable
    ClientAddress client();

    /** The request itself, or a wrapped one, if it is of that type. */
    <T> @Nullable T unwrap(Class<T> type);
}
