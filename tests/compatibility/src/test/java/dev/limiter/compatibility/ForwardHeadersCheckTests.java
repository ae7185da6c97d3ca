package dev.limiter.compatibility;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.testkit.Clients;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.web.server.LocalServerPort;

/** {@code key: ip} where Tomcat trusts private addresses, but limiter.web.trusted-proxies lists only some of them. */
@SpringBootTest(
        classes = TestApplication.class,
        webEnvironment = WebEnvironment.RANDOM_PORT,
        properties = {
            "server.forward-headers-strategy=native",
            "limiter.web.trusted-proxies=127.0.0.0/8,::1",
            "limiter.rules.routed.paths=/routed/**",
            "limiter.rules.routed.limit=1",
            "limiter.rules.routed.window=1h",
            "limiter.rules.routed.key=ip",
        })
@Tag("each-line")
class ForwardHeadersCheckTests {

    private Clients clients;

    @BeforeEach
    void connect(@LocalServerPort int port) {
        clients = new Clients(port);
    }

    @Test
    void clientIsTheAddressFromTheTrustedPeer() {
        assertThat(status("203.0.113.1")).isEqualTo(200);
        assertThat(status("6.6.6.6, 203.0.113.1")).isEqualTo(429);
        assertThat(status("::ffff:203.0.113.1")).isEqualTo(429);
        assertThat(status("203.0.113.2")).isEqualTo(200);
    }

    @Test
    void garbageIsThePeer() {
        assertThat(status("one")).isEqualTo(200);
        assertThat(status("two")).isEqualTo(429);
        assertThat(clients.get("/routed/1").statusCode()).isEqualTo(429);
    }

    private int status(String forwardedFor) {
        return clients.get("/routed/1", "X-Forwarded-For", forwardedFor).statusCode();
    }
}
