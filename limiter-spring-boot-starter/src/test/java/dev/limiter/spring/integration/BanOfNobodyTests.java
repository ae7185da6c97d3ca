package dev.limiter.spring.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.spring.decide.Outcome;
import dev.limiter.spring.decide.RateLimitEvent;
import dev.limiter.spring.decide.RateLimitListener;
import dev.limiter.spring.key.KeyResolver;
import dev.limiter.test.VirtualTimeSource;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.test.context.TestPropertySource;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;

/** Clients that the key does not tell apart are limited together, but one of them has none of the others banned. */
@TestPropertySource(
        properties = {
            "limiter.web.trusted-proxies=127.0.0.0/8,::1",
            "limiter.rules.principal.paths=/principal/**",
            "limiter.rules.principal.key=principal",
            "limiter.rules.principal.limit=1",
            "limiter.rules.principal.window=1s",
            "limiter.rules.principal.ban.after=3",
            "limiter.rules.principal.ban.within=1m",
            "limiter.rules.principal.ban.for=15m",
            "limiter.rules.fallback.paths=/fallback/**",
            "limiter.rules.fallback.key=principal|global",
            "limiter.rules.fallback.limit=1",
            "limiter.rules.fallback.window=1s",
            "limiter.rules.fallback.ban.after=3",
            "limiter.rules.fallback.ban.within=1m",
            "limiter.rules.fallback.ban.for=15m",
            "limiter.rules.what.paths=/what/{id}",
            "limiter.rules.what.key=method,path:id,principal",
            "limiter.rules.what.limit=1",
            "limiter.rules.what.window=1s",
            "limiter.rules.what.ban.after=3",
            "limiter.rules.what.ban.within=1m",
            "limiter.rules.what.ban.for=15m",
            "limiter.rules.endpoint.paths=/endpoint/**",
            "limiter.rules.endpoint.scope=endpoint",
            "limiter.rules.endpoint.key=tenant|principal",
            "limiter.rules.endpoint.limit=1",
            "limiter.rules.endpoint.window=1s",
            "limiter.rules.endpoint.ban.after=3",
            "limiter.rules.endpoint.ban.within=1m",
            "limiter.rules.endpoint.ban.for=15m",
            "limiter.rules.address.paths=/address/**",
            "limiter.rules.address.key=principal|ip",
            "limiter.rules.address.limit=1",
            "limiter.rules.address.window=1s",
            "limiter.rules.address.ban.after=3",
            "limiter.rules.address.ban.within=1m",
            "limiter.rules.address.ban.for=15m",
            "limiter.rules.identified.paths=/identified/**",
            "limiter.rules.identified.key=header:X-Client,principal",
            "limiter.rules.identified.limit=1",
            "limiter.rules.identified.window=1s",
            "limiter.rules.identified.ban.after=3",
            "limiter.rules.identified.ban.within=1m",
            "limiter.rules.identified.ban.for=15m",
        })
class BanOfNobodyTests extends WebTestSupport {

    @Autowired
    private VirtualTimeSource time;

    @Autowired
    private List<RateLimitEvent> events;

    @BeforeEach
    void forgetEarlierTests() {
        time.advance(Duration.ofDays(1));
        events.clear();
    }

    @ParameterizedTest
    @ValueSource(strings = {"/principal/a", "/fallback/a", "/what/a", "/endpoint/a"})
    void anonymousClientsAreRejectedButNeverBanned(String path) throws Exception {
        for (int i = 0; i < 10; i++) {
            get(path);
        }
        time.advance(Duration.ofSeconds(1));

        assertThat(get(path).statusCode()).isEqualTo(200);
        assertThat(count(Outcome.REJECTED)).isEqualTo(9);
        assertThat(count(Outcome.BANNED)).isZero();
    }

    @Test
    void contradictingHeadersAreRejectedButNeverBanned() throws Exception {
        for (int i = 0; i < 10; i++) {
            get("/address/a", "X-Forwarded-For", "203.0.113." + i, "Forwarded", "for=198.51.100.1");
        }

        assertThat(count(Outcome.REJECTED)).isEqualTo(9);
        assertThat(count(Outcome.BANNED)).isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"a", "principal=unresolved", "4:,principal=unresolved", "=unresolved"})
    void clientThatOnePartTellsApartIsBanned(String client) throws Exception {
        for (int i = 0; i < 10; i++) {
            get("/identified/a", "X-Client", client);
        }

        assertThat(count(Outcome.BANNED)).isGreaterThan(0);
    }

    private long count(Outcome outcome) {
        return events.stream().filter(event -> event.outcome() == outcome).count();
    }

    @Configuration(proxyBeanMethods = false)
    @Import({Base.class, Endpoints.class})
    static class Application {

        private final List<RateLimitEvent> events = new CopyOnWriteArrayList<>();

        @Bean
        RateLimitListener listener() {
            return events::add;
        }

        @Bean
        List<RateLimitEvent> events() {
            return events;
        }

        @Bean
        KeyResolver tenant() {
            return context -> null;
        }
    }

    @RestController
    static class Endpoints {

        @GetMapping("/{rule}/{id}")
        String any(@PathVariable String rule, @PathVariable String id) {
            return rule + id;
        }
    }
}
