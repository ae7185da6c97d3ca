package dev.limiter.compatibility;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import com.jayway.jsonpath.JsonPath;
import dev.limiter.spring.decide.Outcome;
import dev.limiter.spring.decide.RateLimitEvent;
import dev.limiter.spring.decide.RateLimitListener;
import dev.limiter.spring.operate.RejectedKeys;
import dev.limiter.testkit.Clients;
import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import java.security.Principal;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.slf4j.LoggerFactory;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** The senders of rejected requests, as shown to operators, to listeners, and in an optional log. */
@ExtendWith(OutputCaptureExtension.class)
class RejectedCallerTests {

    private static final List<RateLimitEvent> HEARD = new CopyOnWriteArrayList<>();

    @AutoClose
    private static final ConfigurableApplicationContext application = Applications.start(
            Application.class,
            Applications.limiter(
                    """
                        web: { trusted-proxies: "127.0.0.1,::1" }
                        rules:
                          orders: { paths: /orders, limit: 1, window: 1h, key: "header:X-Api-Key" }
                          inside: { paths: /inside, limit: 1, window: 1h, deny: 203.0.113.0/24 }
                        """,
                    // the event of Spring 6 also reads the name of the principal, and would fail
                    "spring.mvc.publish-request-handled-events=false",
                    "management.endpoints.web.exposure.include=limiter"));

    private static final Clients clients = Applications.clientsOf(application);

    private int order(String key, String user, String address) {
        return clients.get("/orders", "X-Api-Key", key, "X-User", user, "X-Forwarded-For", address)
                .statusCode();
    }

    private Map<String, Object> rejectedMost() {
        return JsonPath.read(clients.get("/actuator/limiter/orders").body(), "$.rejectedMost[0]");
    }

    @Test
    void lastCallerIsShownNextToTheKey() {
        for (int i = 0; i < 20; i++) {
            order("crowded", "alice", "192.0.2.7");
        }
        assertThat(rejectedMost()).containsEntry("address", "192.0.2.7").containsEntry("principal", "alice");
        order("crowded", "b".repeat(300), "2001:db8:1:2::7");
        assertThat(rejectedMost())
                .containsEntry("rejections", 20)
                .containsEntry("address", "2001:db8:1:2::/64")
                .containsEntry("principal", "b".repeat(200));
        Stream.generate(() -> application.getBean(RejectedKeys.class)).limit(60).forEach(RejectedKeys::sample);
        order("crowded", "", "192.0.2.9");
        assertThat(rejectedMost())
                .as("in another minute")
                .containsEntry("rejections", 21)
                .containsEntry("address", "192.0.2.9")
                .doesNotContainKey("principal");
    }

    @Test
    void areKnownToListenersAlsoOfARuleThatDenies() {
        HEARD.clear();
        clients.get("/inside", "X-User", "carol", "X-Forwarded-For", "203.0.113.9");
        order("heard", "alice", "192.0.2.7");
        order("heard", "alice", "192.0.2.7");
        assertThat(HEARD)
                .extracting(RateLimitEvent::outcome, RateLimitEvent::address, RateLimitEvent::principal)
                .containsExactly(
                        tuple(Outcome.DENIED, "203.0.113.9", "carol"),
                        tuple(Outcome.PERMITTED, "192.0.2.7", "alice"),
                        tuple(Outcome.REJECTED, "192.0.2.7", "alice"));
    }

    @Test
    void areLoggedOnlyAtTrace(CapturedOutput output) {
        Logger logger = (Logger) LoggerFactory.getLogger("dev.limiter.rejections");
        Level before = logger.getLevel();
        try {
            logger.setLevel(Level.DEBUG);
            order("a \"key\"", "dave", "192.0.2.8");
            order("a \"key\"", "dave", "192.0.2.8");
            assertThat(output).contains("rejected rule=orders").doesNotContain("dave", "192.0.2.8", "a 'key'");
            logger.setLevel(Level.TRACE);
            order("a \"key\"", "dave", "192.0.2.8");
            assertThat(output).contains(" plainKey=\"", "a 'key'\" address=192.0.2.8 principal=dave");
        } finally {
            logger.setLevel(before);
        }
    }

    /** A principal that fails to return its name does not fail the decision. */
    @Test
    void mayBeUnknown() {
        assertThat(order("nameless", "throws", "192.0.2.7")).isEqualTo(200);
        assertThat(order("nameless", "throws", "192.0.2.7")).isEqualTo(429);
    }

    @SpringBootConfiguration
    @EnableAutoConfiguration
    @Import(OpenSecurity.class)
    @RestController
    static class Application {

        @GetMapping({"/orders", "/inside"})
        String served() {
            return "served";
        }

        @Bean
        Filter login() {
            return (request, answer, chain) -> {
                String user = ((HttpServletRequest) request).getHeader("X-User");
                chain.doFilter(new LoggedIn((HttpServletRequest) request, user), answer);
            };
        }

        @Bean
        RateLimitListener listener() {
            return HEARD::add;
        }
    }

    private static final class LoggedIn extends HttpServletRequestWrapper {

        private final String user;

        LoggedIn(HttpServletRequest request, String user) {
            super(request);
            this.user = user;
        }

        @Override
        public Principal getUserPrincipal() {
            if (user == null || user.isEmpty()) {
                return null;
            }
            return () -> {
                if (user.equals("throws")) {
                    throw new IllegalStateException("no name");
                }
                return user;
            };
        }
    }
}
