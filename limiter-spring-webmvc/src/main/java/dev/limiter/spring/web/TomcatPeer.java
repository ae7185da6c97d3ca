package dev.limiter.spring.web;

import jakarta.servlet.http.HttpServletRequest;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ReflectionUtils;

/**
 * Finds the peer of a request to Tomcat after {@code RemoteIpValve} ({@code server.forward-headers-strategy: native})
 * has replaced its address by one from a header. The valve changes the innermost request that can be unwrapped. But the
 * connector's request, behind Tomcat's façade, still has the other end of the connection.
 */
final class TomcatPeer {

    /** Set by the valve on each request from a proxy that it trusts. */
    private static final String FORWARDED = "org.apache.tomcat.request.forwarded";

    private static final Log logger = LogFactory.getLog(TomcatPeer.class);

    private TomcatPeer() {}

    /** Returns the peer's address that was replaced; null if it was not replaced, or is not accessible. */
    static @Nullable String replaced(HttpServletRequest request) {
        if (!Boolean.TRUE.equals(request.getAttribute(FORWARDED))) {
            return null;
        }
        try {
            Field field = ReflectionUtils.findField(request.getClass(), "request");
            return field == null ? null : peer(value(field, request));
        } catch (RuntimeException unknown) {
            logger.debug("The peer of a request is not accessible in this version of Tomcat", unknown);
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
