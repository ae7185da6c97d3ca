package dev.limiter.spring.web.settle;

import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;
import org.springframework.util.Assert;
import org.springframework.util.ReflectionUtils;

/** A redirection with a status of its own, which responses can send since Servlet 6.1. */
final class Servlet61Redirect {

    /** Null before. */
    private static final @Nullable Method SEND = ReflectionUtils.findMethod(
            HttpServletResponse.class, "sendRedirect", String.class, int.class, boolean.class);

    private Servlet61Redirect() {}

    static void send(HttpServletResponse response, String location, int status, boolean clearBuffer)
            throws IOException {
        Assert.state(SEND != null, "A redirection with a status of its own needs Servlet 6.1");
        try {
            SEND.invoke(response, location, status, clearBuffer);
        } catch (InvocationTargetException failure) {
            if (failure.getTargetException() instanceof IOException broken) {
                throw broken;
            }
            ReflectionUtils.rethrowRuntimeException(failure.getTargetException());
        } catch (IllegalAccessException impossible) {
            throw new IllegalStateException(impossible);
        }
    }
}
