package dev.limiter.spring.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.spring.key.KeyResolver;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.test.annotation.DirtiesContext;
import org.springframework.test.context.ContextConfiguration;
import org.springframework.test.context.TestPropertySource;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** The address of a client with forwarded headers over a real connection, for each strategy of the server. */
class ForwardedTests {

    private static final String PEER = "127\\.0\\.0\\.1|0:0:0:0::/64";

    /** The test acts as a proxy, as do addresses in 10.0.0.0/8. */
    @Yml("""
            limiter:
              web: { trusted-proxies: [127.0.0.0/8, '::1', 10.0.0.0/8], ipv6-prefix: 56 }
              rules:
                ip: { paths: /ip, limit: 1, window: 1h, key: [ip, who] }
            """)
    @ContextConfiguration(classes = ForwardedTests.Application.class)
    abstract static class Trusted extends WebTestSupport {

        @Autowired
        private List<String> seen;

        @BeforeEach
        void forget() {
            seen.clear();
        }

        @Test
        void clientIsTheLastThatIsNotTrusted() throws Exception {
            assertStatuses(List.of(200, 429), "/ip", "X-Forwarded-For", "203.0.113.1");
            assertStatus(429, "/ip", "X-Forwarded-For", "6.6.6.6, 203.0.113.1");
            assertStatus(429, "/ip", "X-Forwarded-For", "6.6.6.6", "X-Forwarded-For", "203.0.113.1, 10.1.1.1");
            assertStatus(429, "/ip", "X-Forwarded-For", "::ffff:203.0.113.1");
            assertStatus(200, "/ip", "X-Forwarded-For", "203.0.113.2");
            assertThat(seen.stream().distinct()).containsExactly("203.0.113.1", "203.0.113.2");
        }

        @Test
        void forwardedIsReadToo() throws Exception {
            assertStatus(200, "/ip", "Forwarded", "for=\"[2001:db8:1:2ff::1]:4711\";proto=https");
            assertStatus(429, "/ip", "Forwarded", "for=\"6.6.6.6, for=\"[2001:db8:1:2aa::2]\", for=10.1.1.1");
            assertThat(seen.stream().distinct()).containsExactly("2001:db8:1:200::/56");
        }
    }

    @Nested
    class WithoutStrategy extends Trusted {}

    @Nested
    @TestPropertySource(properties = "server.forward-headers-strategy=framework")
    class FrameworkStrategy extends Trusted {}

    @Nested
    @TestPropertySource(properties = "server.forward-headers-strategy=native")
    class NativeStrategy extends Trusted {}

    /** The test is not a trusted proxy, so its headers are ignored. */
    @Yml("""
            limiter.rules:
              ip: { paths: /ip, limit: 1, window: 1h, key: [ip, who] }
            """)
    @DirtiesContext
    @ExtendWith(OutputCaptureExtension.class)
    @ContextConfiguration(classes = ForwardedTests.Application.class)
    abstract static class Untrusted extends WebTestSupport {

        @Autowired
        private List<String> seen;

        @Test
        void clientIsThePeerWithAnyHeaders(CapturedOutput output) throws Exception {
            assertStatus(200, "/ip", "X-Forwarded-For", "203.0.113.1");
            for (int i = 0; i < 20; i++) {
                assertStatus(429, "/ip", "X-Forwarded-For", "203.0.113." + i);
                assertStatus(429, "/ip", "Forwarded", "for=203.0.113." + i);
            }
            assertThat(get("/ip").statusCode()).isEqualTo(429);
            assertThat(seen.stream().distinct()).singleElement().asString().matches(PEER);
            assertThat(output.getOut().split("limiter.web.trusted-proxies: \\[", -1))
                    .hasSize(2);
        }
    }

    @Nested
    class UntrustedWithoutStrategy extends Untrusted {}

    @Nested
    @TestPropertySource(properties = "server.forward-headers-strategy=framework")
    class UntrustedFrameworkStrategy extends Untrusted {}

    @Nested
    @TestPropertySource(properties = "server.forward-headers-strategy=native")
    class UntrustedNativeStrategy extends Untrusted {}

    @Configuration(proxyBeanMethods = false)
    @Import(WebTestSupport.Base.class)
    static class Application {

        @Bean
        List<String> seen() {
            return new CopyOnWriteArrayList<>();
        }

        @Bean
        KeyResolver who(List<String> seen) {
            return context -> {
                seen.add(String.valueOf(context.request().clientAddress()));
                return "all";
            };
        }

        @RestController
        static class Controller {

            @GetMapping("/ip")
            String ip() {
                return "ok";
            }
        }
    }
}
