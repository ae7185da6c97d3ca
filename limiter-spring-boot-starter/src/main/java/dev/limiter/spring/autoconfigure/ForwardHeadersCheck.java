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

    private ForwardHeadersCheck() {}

    static void check(Environment environment) {
        boolean tomcat = ClassUtils.isPresent(
                "org.apache.catalina.connector.RequestFacade", ForwardHeadersCheck.class.getClassLoader());
        if (!tomcat && isNative(environment)) {
            logger.error("With " + STRATEGY + ": native, the default on some cloud platforms, the server accepts"
                    + " forwarded headers from every client. Except on Tomcat, clients can then get a new bucket of"
                    + " key: ip with each request. Set " + STRATEGY + ": framework, and list your proxies in"
                    + " limiter.web.trusted-proxies.");
        }
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
