package dev.limiter.spring.autoconfigure;

import dev.limiter.spring.check.Finding;
import dev.limiter.spring.check.StartupCheck;
import dev.limiter.spring.failure.MessageCode;
import java.net.InetAddress;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.springframework.context.ApplicationContext;
import org.springframework.core.env.Environment;
import org.springframework.core.io.Resource;
import org.springframework.util.StringUtils;

/**
 * The page of {@code limiter-dashboard}, served only behind Spring Security or on a loopback address.
 *
 * @param security the bean of Spring Security through which all requests go
 */
record DashboardPage(ApplicationContext application, String security) implements StartupCheck {

    static final String FILES = "classpath:/META-INF/resources/limiter/";

    private static final String NO_FILES = FILES + "none/";

    @Override
    public List<Finding> findings() {
        return isEnabled() && !isProtected()
                ? List.of(new Finding(
                        MessageCode.DASHBOARD,
                        "limiter-dashboard: the page is not served, because it would be open to every client. Add"
                                + " Spring Security, or set server.address to a loopback address."))
                : List.of();
    }

    boolean isServed() {
        return isEnabled() && isProtected();
    }

    private boolean isEnabled() {
        return environment().getProperty("limiter.dashboard.enabled", Boolean.class, true);
    }

    private boolean isProtected() {
        InetAddress address = environment().getProperty("server.address", InetAddress.class);
        return application.containsBean(security) || address != null && address.isLoopbackAddress();
    }

    private Environment environment() {
        return application.getEnvironment();
    }

    /** Where the files are; a folder without files if the page is not served. */
    String location() {
        return isServed() ? FILES : NO_FILES;
    }

    Resource index() {
        return application.getResource(FILES + "index.html");
    }

    /** What the static page needs from the application: the endpoint, and the tokens of Spring Security. */
    Map<String, Object> connection(Map<String, Object> csrf) {
        String base = environment().getProperty("management.endpoints.web.base-path", "/actuator");
        Map<String, Object> connection = new LinkedHashMap<>();
        connection.put(
                "endpoint",
                StringUtils.trimTrailingCharacter(base, '/') + "/"
                        + environment().getProperty("management.endpoints.web.path-mapping.limiter", "limiter"));
        if (!csrf.isEmpty()) {
            connection.put("csrf", csrf);
        }
        return connection;
    }
}
