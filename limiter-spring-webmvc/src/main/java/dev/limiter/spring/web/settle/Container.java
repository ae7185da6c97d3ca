package dev.limiter.spring.web.settle;

import jakarta.servlet.ServletResponse;
import jakarta.servlet.ServletResponseWrapper;

/** Servlet containers, as far as they differ in when they send an answer. */
enum Container {
    /** Keeps redirections until the request is over: an error page may replace them. */
    TOMCAT,
    /** Sends what is as long as its {@code Content-Length}, and refuses what is longer. */
    JETTY,
    /** Ignores flushing and closing of a body within an include, and cuts off the body at its declared length. */
    UNDERTOW,
    OTHER;

    static Container of(ServletResponse response) {
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
}
