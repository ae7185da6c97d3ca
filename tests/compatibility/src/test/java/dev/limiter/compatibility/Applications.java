package dev.limiter.compatibility;

import dev.limiter.test.VirtualTimeSource;
import dev.limiter.testkit.Clients;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.stream.Stream;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.EnumerablePropertySource;
import org.springframework.core.io.ByteArrayResource;

/** Starts applications with only the given properties, without application.yml. */
final class Applications {

    /** The properties that exclude Spring Security on each line of Spring Boot. */
    static final String WITHOUT_SECURITY = "spring.autoconfigure.exclude="
            + "org.springframework.boot.autoconfigure.security.servlet.SecurityAutoConfiguration,"
            + "org.springframework.boot.autoconfigure.security.servlet.SecurityFilterAutoConfiguration,"
            + "org.springframework.boot.actuate.autoconfigure.security.servlet.ManagementWebSecurityAutoConfiguration,"
            + "org.springframework.boot.security.autoconfigure.web.servlet.ServletWebSecurityAutoConfiguration,"
            + "org.springframework.boot.security.autoconfigure.web.servlet.SecurityFilterAutoConfiguration,"
            + "org.springframework.boot.security.autoconfigure.actuate.web.servlet.ManagementWebSecurityAutoConfiguration";

    private Applications() {}

    /** Returns properties from YAML below {@code limiter:}, followed by others. */
    static String[] limiter(String yaml, String... more) {
        Stream<EnumerablePropertySource<?>> documents;
        try {
            documents = new YamlPropertySourceLoader()
                    .load("limiter", new ByteArrayResource(yaml.getBytes(StandardCharsets.UTF_8))).stream()
                            .map(EnumerablePropertySource.class::cast);
        } catch (IOException exception) {
            throw new UncheckedIOException(exception);
        }
        return Stream.concat(
                        documents.flatMap(document -> Arrays.stream(document.getPropertyNames())
                                .map(name -> "limiter." + name + "=" + document.getProperty(name))),
                        Arrays.stream(more))
                .toArray(String[]::new);
    }

    static ConfigurableApplicationContext start(Class<?> application, String... properties) {
        return start(application, WebApplicationType.SERVLET, properties);
    }

    static ConfigurableApplicationContext start(Class<?> application, String[] properties, String... more) {
        return start(
                application, Stream.of(properties, more).flatMap(Arrays::stream).toArray(String[]::new));
    }

    static ConfigurableApplicationContext startWithoutWeb(Class<?> application, String... properties) {
        return start(application, WebApplicationType.NONE, properties);
    }

    private static ConfigurableApplicationContext start(
            Class<?> application, WebApplicationType type, String... properties) {
        String[] arguments = Stream.concat(
                        Stream.of("server.port=0", "spring.config.name=none", "spring.main.banner-mode=off"),
                        Arrays.stream(properties))
                .map(property -> "--" + property)
                .toArray(String[]::new);
        return new SpringApplicationBuilder(application).web(type).run(arguments);
    }

    static Clients clientsOf(ConfigurableApplicationContext application) {
        return new Clients(application.getEnvironment().getRequiredProperty("local.server.port", Integer.class));
    }

    /** Advances the clock to half past twelve of another day, when all limits are unused again. */
    static void startAnotherDay(VirtualTimeSource clock) {
        clock.advanceTo(clock.now()
                .truncatedTo(ChronoUnit.DAYS)
                .plus(Duration.ofDays(1))
                .plus(Duration.ofHours(12).plusMinutes(30)));
    }

    static void startAnotherDay(ConfigurableApplicationContext application) {
        startAnotherDay(application.getBean(VirtualTimeSource.class));
    }
}
