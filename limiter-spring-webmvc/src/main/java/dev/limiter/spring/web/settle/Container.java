package dev.limiter.spring.web.settle;

import jakarta.servlet.ServletContext;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.ServletResponseWrapper;

/** Servlet containers, as far as they differ in when they send an answer. */
public enum Container {
    /** Keeps redirections until the request is over: an error page may replace them. */
    TOMCAT,
    /**
     * Sends what is as long as its {@code Content-Length}, and refuses what is longer. Sends at once what does not go into
     * the buffer for small writes, by default a quarter of the whole.
     */
    JETTY,
    /** Ignores flushing and closing of a body within an include, and cuts off the body at its declared length. */
    UNDERTOW,
    OTHER;

    public static Container of(ServletResponse response) {
        ServletResponse innermost = response;
        while (innermost instanceof ServletResponseWrapper wrapper) {
            innermost = wrapper.getResponse();
        }
        String name = innermost.getClass().getName();
        if (name.startsWith("org.apache.catalina.")) {
            return TOMCAT;
        }
        if (name.startsWith("org.eclipse.jetty.")) {
            return JETTY;
        }
        return name.startsWith("io.undertow.") ? UNDERTOW : OTHER;
    }

    /**
     * Whether it takes nothing more for the answer after a forward that has neither failed nor begun asynchronous work:
     * Tomcat does so since version 11, others close the response that was forwarded.
     */
    public static boolean endsWithForward(ServletContext context) {
        return (context.getMajorVersion() > 6 || context.getMinorVersion() > 0)
                && context.getServerInfo().startsWith("Apache Tomcat/");
    }
}
