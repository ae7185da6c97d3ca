package dev.limiter.compatibility;

import static dev.limiter.testkit.Conditions.await;

import dev.limiter.spring.rule.RuleDefinition;
import dev.limiter.spring.rule.RuleSource;
import dev.limiter.testkit.Clients;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Collection;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** An application with a rule in its properties, and a rules file beside it. */
abstract class RulesFileSupport {

    static final String ORDERS = "/actuator/limiter/orders";

    @TempDir
    Path folder;

    static ConfigurableApplicationContext start(Path file, String... more) {
        String[] properties = {
            "management.endpoints.web.exposure.include=limiter",
            "management.endpoint.limiter.access=unrestricted",
            "limiter.rules.orders.paths=/orders",
            "limiter.rules.orders.limit=3",
            "limiter.rules.orders.window=1h",
            "limiter.rules.orders.key=header:X-Api-Key",
            "limiter.rules-file=" + file
        };
        return Applications.start(
                Limited.class, Stream.of(properties, more).flatMap(Stream::of).toArray(String[]::new));
    }

    static String orders(long limit) {
        return "limiter:\n  rules:\n    orders:\n      limit: " + limit + "\n";
    }

    static int permitted(Clients clients, String path, String key) {
        int permitted = 0;
        while (permitted < 30 && clients.get(path, "X-Api-Key", key).statusCode() == 200) {
            permitted++;
        }
        return permitted;
    }

    /** As ConfigMaps and careful people do it. */
    void replace(Path file, String text) throws IOException {
        replace(file, text.getBytes(StandardCharsets.UTF_8));
    }

    void replace(Path file, byte[] content) throws IOException {
        Path written = Files.write(folder.resolve("written"), content);
        Files.move(written, file, StandardCopyOption.REPLACE_EXISTING);
    }

    static void awaitShown(Clients clients, String path, String text) {
        await(() -> clients.get(path).body().contains(text));
    }

    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(OpenSecurity.class)
    @RestController
    static class Limited {

        /** Rules from elsewhere, none at first. */
        @Bean
        ChangingSource changing() {
            return new ChangingSource();
        }

        @GetMapping({"/orders", "/more"})
        String get() {
            return "ok";
        }
    }

    /** A source of rules that a test can change, and have fail. */
    static final class ChangingSource implements RuleSource {

        private volatile Supplier<List<RuleDefinition>> rules = List::of;

        void become(Supplier<List<RuleDefinition>> rules) {
            this.rules = rules;
        }

        @Override
        public Collection<RuleDefinition> rules() {
            return rules.get();
        }
    }
}
