package dev.limiter.spring.autoconfigure;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.springframework.boot.cloud.CloudPlatform;
import org.springframework.core.env.Environment;
import org.springframework.util.ClassUtils;

/** Logs an error on startup if the server trusts forwarded headers and hides the peer address. */
final class ForwardHeadersCheck {

    private static final Log logger = LogFactory.getLog(ForwardHeadersCheck.class);
    private static final String STRATEGY = "server.forward-headers-strategy";
    private static final String TOMCAT = "org.apache.catalina.connector.RequestFacade";

    private ForwardHeadersCheck() {}

    /** For Spring MVC: with Tomcat, the peer is known whatever the strategy is. */
    static void check(Environment environment) {
        if (!isPresent(TOMCAT) && isNative(environment)) {
            logger.error("With " + STRATEGY + ": native, the default on some cloud platforms, the server accepts"
                    + " forwarded headers from every client. Except on Tomcat, clients can then get a new bucket of"
                    + " key: ip with each request. Set " + STRATEGY + ": framework, and list your proxies in"
                    + " limiter.web.trusted-proxies.");
        }
    }

    /** For WebFlux: only Reactor Netty shows the peer. If a servlet container is present, Spring Boot prefers that. */
    static void checkReactive(Environment environment) {
        boolean netty = !isPresent(TOMCAT)
                && !isPresent("org.eclipse.jetty.server.Server")
                && !isPresent("io.undertow.Undertow");
        if (!netty && (isNative(environment) || "framework".equalsIgnoreCase(environment.getProperty(STRATEGY)))) {
            logger.error("With " + STRATEGY + ": native (the default on some cloud platforms) or framework, forwarded"
                    + " headers of every client are accepted, and only Reactor Netty shows the address of the"
                    + " connection. On this server, clients can get a new bucket of key: ip with each request. Set "
                    + STRATEGY + ": none, and list your proxies in limiter.web.trusted-proxies.");
        }
    }

    private static boolean isPresent(String type) {
        return ClassUtils.isPresent(type, ForwardHeadersCheck.class.getClassLoader());
    }

    private static boolean isNative(Environment environment) {
        String strategy = environment.getProperty(STRATEGY);
        if (strategy != null) {
            return strategy.equalsIgnoreCase("native");
        }
        CloudPlatform platform = CloudPlatform.getActive(environment);
        return platform != null && platform.isUsingForwardHeaders();
    }
}
