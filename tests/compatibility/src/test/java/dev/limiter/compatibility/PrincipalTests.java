package dev.limiter.compatibility;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.test.VirtualTimeSource;
import dev.limiter.testkit.Clients;
import java.util.Base64;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.web.server.LocalServerPort;

/** {@code key: principal} behind Spring Security. */
@Tag("each-line")
@SharedApplication
class PrincipalTests {

    @Autowired
    private VirtualTimeSource clock;

    private Clients clients;

    @BeforeEach
    void forgetEarlierTests(@LocalServerPort int port) {
        clients = new Clients(port);
        Applications.startAnotherDay(clock);
    }

    @Test
    void everyUserHasAnOwnLimit() {
        assertTwoPermitted("Authorization", basic("alice:a"));
        assertTwoPermitted("Authorization", basic("bob:b"));
    }

    @Test
    void requestsOfNobodyKnownShareOneLimit() {
        assertTwoPermitted();
        assertTwoPermitted("Authorization", basic("alice:a"));
    }

    private void assertTwoPermitted(String... headers) {
        IntStream.range(0, 2)
                .forEach(i ->
                        assertThat(clients.get("/mine", headers).statusCode()).isEqualTo(200));
        assertThat(clients.get("/mine", headers).statusCode()).isEqualTo(429);
    }

    private static String basic(String user) {
        return "Basic " + Base64.getEncoder().encodeToString(user.getBytes(UTF_8));
    }
}
