package dev.limiter.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.spring.Limiter;
import dev.limiter.spring.compile.Rules;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.SmartLifecycle;

/** Stored changes apply before the first request after a restart. */
class StoredChangesAtStartTests {

    @TempDir
    private Path folder;

    /** Starts in the phase of web servers. */
    static final class Server implements SmartLifecycle {

        private final Rules rules;
        private long limit;

        Server(Rules rules) {
            this.rules = rules;
        }

        @Override
        public void start() {
            limit = rules.current()
                    .find("orders")
                    .orElseThrow()
                    .rule()
                    .limits()
                    .get(0)
                    .limit();
        }

        @Override
        public void stop() {}

        @Override
        public boolean isRunning() {
            return limit != 0;
        }

        @Override
        public int getPhase() {
            return DEFAULT_PHASE - 2048;
        }
    }

    @Test
    void areInForceWhenTheServerStarts() throws IOException {
        Path rules = Files.writeString(
                folder.resolve("rules.yml"), "limiter.rules.orders: { paths: /orders, limit: 3, window: 1h }");
        Path changes = Files.writeString(
                folder.resolve("changes"),
                "{version: 1, changes: [{rule: orders, set: {limit: 5}, version: 1, at: 2026-11-23T08:12:04Z, by: ann}]}");
        new ApplicationContextRunner()
                .withConfiguration(Limiter.autoConfigurations())
                .withConfiguration(AutoConfigurations.of(LimiterChangesAutoConfiguration.class))
                .withInitializer(new RulesFileInitializer())
                .withPropertyValues("limiter.rules-file=" + rules, "limiter.changes-file=" + changes)
                .withBean(Server.class)
                .run(context -> assertThat(context.getBean(Server.class).limit).isEqualTo(5));
    }
}
