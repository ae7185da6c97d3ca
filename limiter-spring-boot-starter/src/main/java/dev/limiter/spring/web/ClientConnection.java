package dev.limiter.spring.web;

import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletRequestWrapper;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.function.BooleanSupplier;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ReflectionUtils;

/**
 * Whether the client of a waiting request is still there. The servlet API does not tell before something is written to it;
 * Tomcat's connection of HTTP/1.1 does when asked whether there is anything to read: it reads what there is into its own
 * buffer, and fails at the end. Of other containers and protocols it is not known, and assumed.
 */
final class ClientConnection implements BooleanSupplier {

    private static final String PROCESSOR = "org.apache.coyote.http11.Http11Processor";

    private static final Log logger = LogFactory.getLog(ClientConnection.class);

    private final Object socket;
    private final Method isReadyForRead;

    private ClientConnection(Object socket, Method isReadyForRead) {
        this.socket = socket;
        this.isReadyForRead = isReadyForRead;
    }

    static BooleanSupplier of(HttpServletRequest request) {
        try {
            Object socket = tomcatSocket(request);
            Method method = socket == null ? null : ReflectionUtils.findMethod(socket.getClass(), "isReadyForRead");
            if (socket != null && method != null) {
                ReflectionUtils.makeAccessible(method);
                return new ClientConnection(socket, method);
            }
        } catch (RuntimeException unknown) {
            logger.debug("The container does not tell whether a client is still there", unknown);
        }
        return () -> true;
    }

    private static @Nullable Object tomcatSocket(HttpServletRequest request) {
        ServletRequest innermost = request;
        while (innermost instanceof ServletRequestWrapper wrapper) {
            innermost = wrapper.getRequest();
        }
        Object connectorRequest = field(innermost, "request");
        Object coyoteRequest = connectorRequest == null ? null : call(connectorRequest, "getCoyoteRequest");
        Object processor = coyoteRequest == null ? null : field(coyoteRequest, "hook");
        return processor != null && processor.getClass().getName().equals(PROCESSOR)
                ? call(processor, "getSocketWrapper")
                : null;
    }

    private static @Nullable Object field(Object owner, String name) {
        Field field = ReflectionUtils.findField(owner.getClass(), name);
        if (field == null) {
            return null;
        }
        ReflectionUtils.makeAccessible(field);
        return ReflectionUtils.getField(field, owner);
    }

    private static @Nullable Object call(Object owner, String name) {
        Method method = ReflectionUtils.findMethod(owner.getClass(), name);
        if (method == null) {
            return null;
        }
        ReflectionUtils.makeAccessible(method);
        return ReflectionUtils.invokeMethod(method, owner);
    }

    @Override
    public boolean getAsBoolean() {
        try {
            isReadyForRead.invoke(socket);
            return true;
        } catch (InvocationTargetException failure) {
            return !(failure.getTargetException() instanceof IOException);
        } catch (IllegalAccessException impossible) {
            return true;
        }
    }
}
