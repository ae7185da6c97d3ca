package dev.limiter.spring.web;

import jakarta.servlet.http.HttpServletRequest;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ReflectionUtils;

/**
 * The peer of a request to Tomcat whose {@code RemoteIpValve} ({@code server.forward-headers-strategy: native}) has put
 * the address from a header in its place. The valve does so below everything that can be unwrapped; but the connector's
 * own request, behind the façade that applications see, still knows the other end of the connection.
 */
final class TomcatPeer {

    /** Set by the valve on each request from a proxy that it trusts. */
    private static final String FORWARDED = "org.apache.tomcat.request.forwarded";

    private static final Log logger = LogFactory.getLog(TomcatPeer.class);

    private TomcatPeer() {}

    /** The replaced address of the peer; null if it was not replaced, or cannot be read. */
    static @Nullable String replaced(HttpServletRequest request) {
        if (!Boolean.TRUE.equals(request.getAttribute(FORWARDED))) {
            return null;
        }
        try {
            Field field = ReflectionUtils.findField(request.getClass(), "request");
            return field == null ? null : peer(value(field, request));
        } catch (RuntimeException unknown) {
            logger.debug("Tomcat does not tell the peer of a request", unknown);
            return null;
        }
    }

    private static @Nullable Object value(Field field, Object owner) {
        ReflectionUtils.makeAccessible(field);
        return ReflectionUtils.getField(field, owner);
    }

    private static @Nullable String peer(@Nullable Object connectorRequest) {
        Method method = connectorRequest == null
                ? null
                : ReflectionUtils.findMethod(connectorRequest.getClass(), "getPeerAddr");
        return method == null ? null : (String) ReflectionUtils.invokeMethod(method, connectorRequest);
    }
}
