package dev.limiter.sample;

import dev.limiter.RateLimiters;
import dev.limiter.test.VirtualTimeSource;
import dev.limiter.test.WithVirtualTime;
import dev.limiter.testkit.Clients;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.web.server.LocalServerPort;

@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT)
@WithVirtualTime
class SampleApplicationTests extends SampleContract {

    @Autowired
    private VirtualTimeSource time;

    @Autowired
    private RateLimiters limiters;

    @BeforeEach
    void connect(@LocalServerPort int port) {
        clients = new Clients(port);
    }

    @Override
    protected void advance(Duration duration) {
        time.advance(duration);
    }

    @Override
    protected int waiting() {
        return limiters.waiting();
    }
}
