package dev.limiter.compatibility;

import dev.limiter.test.VirtualTimeSource;
import dev.limiter.testkit.Clients;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.stream.Stream;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

/** Starts applications of their own, with nothing but the properties given: they do not read application.yml. */
final class Applications {

    private Applications() {}

    static ConfigurableApplicationContext start(Class<?> application, String... properties) {
        return start(application, WebApplicationType.SERVLET, properties);
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

    /** Goes on to half past twelve of another day, when everything that was used is forgotten. */
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
