package dev.limiter.spring.context;

import dev.limiter.spring.address.ClientAddress;
import java.security.Principal;
import org.jspecify.annotations.Nullable;

/**
 * The request in keys and expressions ({@code #request}). Missing values are null. Not thread-safe. No method blocks,
 * except that {@link #getParameter} may read the body of a form.
 */
public interface RequestView {

    /** Returns the HTTP method as sent. */
    String method();

    /** Returns the path within the application as sent, not decoded. */
    String path();

    /** Returns the first value of a header; the name is case-insensitive. */
    @Nullable
    String getHeader(String name);

    /** Returns a parameter of the query or of a form. */
    @Nullable
    String getParameter(String name);

    /** Returns the value of a cookie. */
    @Nullable
    String cookie(String name);

    /** Returns the id of the current valid session; creates none. */
    @Nullable
    String sessionId();

    /** Returns the pattern of the endpoint, such as {@code /orders/{id}}. */
    default @Nullable String pattern() {
        return null;
    }

    /** Returns the value of the variable {@code name} in the pattern of the endpoint. */
    @Nullable
    String pathVariable(String name);

    /** Returns the logged-in user. */
    @Nullable
    Principal principal();

    /** Returns whether the logged-in user has a role; false without a user. */
    boolean isUserInRole(String role);

    /**
     * Returns the client as {@code key: ip} does: an IPv4 address, or the network of an IPv6 address. Returns
     * {@code contradictory} if {@code Forwarded} and {@code X-Forwarded-For} of a trusted proxy name different clients.
     */
    @Nullable
    String clientAddress();

    /**
     * Returns the full address of the client; null if it has none, such as at a local socket.
     */
    @Nullable
    ClientAddress client();

    /** Returns the native request or one that it wraps, if it has this type; else null. */
    <T> @Nullable T unwrap(Class<T> type);
}
