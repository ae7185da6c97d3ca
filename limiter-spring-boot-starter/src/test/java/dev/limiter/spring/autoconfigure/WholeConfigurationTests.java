package dev.limiter.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.groups.Tuple.tuple;

import dev.limiter.Limit;
import dev.limiter.spring.Limiter;
import dev.limiter.spring.compile.RuleSet;
import dev.limiter.spring.compile.Rules;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.web.servlet.WebMvcAutoConfiguration;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.core.env.PropertySource;
import org.springframework.core.io.ByteArrayResource;

/** An application with nearly all options of rules and of {@code limiter.web}. */
class WholeConfigurationTests {

    private static final String YAML = """
            limiter:
              enabled: true
              storage: memory                 # memory | redis
              mode: enforce                   # enforce | shadow | off; also per rule, the weaker wins
              max-keys: 100000
              caps: { default: { limit: 1000, window: 1s } }
              rules-file: FILE
              web:
                enabled: true
                default-limit: { limit: 100, window: 1s, algorithm: token-bucket, key: ip }
                exclude: ["/actuator/**", "/error"]
                static-resources: false
                headers: ietf                 # ietf | ietf-next | legacy | both | none; also per rule
                retry-after-jitter: 0s
                trusted-proxies: []
                ipv6-prefix: 64
                status: 429
              redis:
                key-prefix: "limiter:${spring.application.name}:"
                timeout: 50ms                 # budget of one decision
                on-failure: local             # local | allow | deny; also per rule
              rules:
                orders:                       # [a-z0-9][a-zA-Z0-9_-]*
                  paths: ["/api/orders/**"]
                  methods: [GET, POST]
                  phase: endpoint             # endpoint: after security | request: in a filter before it
                  key: principal|ip
                  scope: rule                 # rule: one budget over all matched endpoints | endpoint: one each
                  condition: "#{!#request.isUserInRole('INTERNAL')}"
                  cost: 1
                  charge-if: failed
                  limits:                     # or limit, window, algorithm … directly in the rule
                    burst:  { limit: 10,   window: 1s, algorithm: sliding-window-counter, buckets: 10 }
                    hourly: { limit: 1000, window: 1h, algorithm: fixed-window }
                  max-wait: 0ms
                  mode: enforce
                  status: 429
                  rollout: 10%
                  candidate: { limit: 50 }    # counted next to the live limit
                  allow: ["10.0.0.0/8"]       # never limited
                  deny: []                    # always rejected, with 403; before allow
                  ban: { after: 20, within: 1m, for: 15m }
            """;

    @Test
    void starts(@TempDir Path folder) throws IOException {
        Path rulesFile = folder.resolve("limits.yml");
        Files.writeString(rulesFile, "limiter.rules.orders.limits.hourly.limit: 1000");
        String yaml = YAML.replace("FILE", rulesFile.toUri().toString());

        new WebApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(WebMvcAutoConfiguration.class))
                .withConfiguration(Limiter.autoConfigurations())
                .withPropertyValues("spring.application.name=shop")
                .withInitializer(
                        context -> load(yaml).forEach(context.getEnvironment().getPropertySources()::addLast))
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    RuleSet rules = context.getBean(Rules.class).current();
                    assertThat(rules.defaultLimit()).isPresent();
                    assertThat(rules.find("orders").orElseThrow().rule().limits())
                            .extracting(Limit::limit)
                            .contains(10L, 1000L);
                });
    }

    /** A candidate without a name for its limit changes the first limit. */
    @Test
    void candidateDiffersInTheFirstLimit() {
        new WebApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(WebMvcAutoConfiguration.class))
                .withConfiguration(Limiter.autoConfigurations())
                .withInitializer(context -> load(YAML.replace("rules-file: FILE", ""))
                        .forEach(context.getEnvironment().getPropertySources()::addLast))
                .run(context -> assertThat(context.getBean(Rules.class)
                                .current()
                                .find("orders-candidate")
                                .orElseThrow()
                                .rule()
                                .limits())
                        .extracting(Limit::name, Limit::limit)
                        .containsExactly(tuple("burst", 50L), tuple("hourly", 1000L)));
    }

    private static List<PropertySource<?>> load(String yaml) {
        try {
            return new YamlPropertySourceLoader()
                    .load("test", new ByteArrayResource(yaml.getBytes(StandardCharsets.UTF_8), "test.yml"));
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }
}
