package dev.limiter.compatibility;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.test.VirtualTimeSource;
import dev.limiter.testkit.Clients;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.web.server.LocalServerPort;

@org.junit.jupiter.api.Tag("each-line")
@SharedApplication
class MetricsTests {

    @Autowired
    private VirtualTimeSource clock;

    @Autowired
    private MeterRegistry meters;

    private Clients clients;

    @BeforeEach
    void forgetEarlierTests(@LocalServerPort int port) {
        clients = new Clients(port);
        Applications.startAnotherDay(clock);
    }

    @Test
    void decisionsOfRulesAreCounted() {
        double permitted = decisions("orders", "* /orders/{id}", "permitted");
        double rejected = decisions("orders", "* /orders/{id}", "rejected");

        IntStream.range(0, 5).forEach(i -> clients.get("/orders/" + i));

        assertThat(decisions("orders", "* /orders/{id}", "permitted") - permitted)
                .isEqualTo(2);
        assertThat(decisions("orders", "* /orders/{id}", "rejected") - rejected).isEqualTo(3);
    }

    @Test
    void decisionsInShadowAreCounted() {
        double permitted = decisions("shadow", "GET /shadow", "permitted");
        double rejected = decisions("shadow", "GET /shadow", "shadow-rejected");

        IntStream.range(0, 5).forEach(i -> clients.get("/shadow"));

        assertThat(decisions("shadow", "GET /shadow", "permitted") - permitted).isEqualTo(2);
        assertThat(decisions("shadow", "GET /shadow", "shadow-rejected") - rejected)
                .isEqualTo(3);
    }

    @Test
    void limitsAreCountedThatRejectOrHaveLittleLeft() {
        double rejected = limits("limiter.rejections", "rejected");
        double near = limits("limiter.near.limit", "permitted");

        IntStream.range(0, 5).forEach(i -> clients.get("/orders/" + i));

        assertThat(limits("limiter.rejections", "rejected") - rejected).isEqualTo(3);
        // the second of two
        assertThat(limits("limiter.near.limit", "permitted") - near).isEqualTo(1);
    }

    private double limits(String meter, String outcome) {
        return meters
                .find(meter)
                .tags("rule", "orders", "limit", "orders-burst", "tier", "none", "outcome", outcome)
                .counters()
                .stream()
                .mapToDouble(Counter::count)
                .sum();
    }

    @Test
    void keysAreCounted() {
        clients.get("/annotated/token-bucket", "X-Api-Key", "somebody new");

        assertThat(meters.get("limiter.keys").tag("storage", "memory").gauge().value())
                .isPositive();
    }

    @Test
    void noTagHoldsAClientKey() {
        clients.get("/annotated/token-bucket", "X-Api-Key", "a-secret");

        assertThat(meters.getMeters())
                .extracting(Meter::getId)
                .filteredOn(id -> id.getName().startsWith("limiter."))
                .isNotEmpty()
                .allSatisfy(id -> assertThat(id.getTags())
                        .extracting(Tag::getValue)
                        .noneMatch(value -> value.contains("a-secret")));
    }

    @Test
    void actuatorShowsTheMeters() {
        clients.get("/orders/1");

        assertThat(clients.get("/actuator/metrics/limiter.decisions").body()).contains("\"rule\"", "\"outcome\"");
    }

    private double decisions(String rule, String resource, String outcome) {
        return meters
                .find("limiter.decisions")
                .tags("rule", rule, "resource", resource, "outcome", outcome)
                .counters()
                .stream()
                .mapToDouble(Counter::count)
                .sum();
    }
}
