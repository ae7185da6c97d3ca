package dev.limiter.webflux;

import dev.limiter.testkit.Clients;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.PropertySource;
import org.springframework.core.io.ByteArrayResource;

/** Starts WebFlux applications on free ports. */
final class Applications implements AutoCloseable {

    private final List<ConfigurableApplicationContext> started = new ArrayList<>();

    /** Starts an application with that configuration. */
    ConfigurableApplicationContext start(Class<?> application, String yaml, String... arguments) {
        SpringApplication starting = new SpringApplication(application);
        starting.addInitializers(yaml(yaml));
        List<String> all = new ArrayList<>();
        all.addAll(List.of(arguments));
        all.add("--server.port=0");
        all.add("--spring.main.banner-mode=off");
        ConfigurableApplicationContext context = starting.run(all.toArray(String[]::new));
        started.add(context);
        return context;
    }

    private static ApplicationContextInitializer<ConfigurableApplicationContext> yaml(String yaml) {
        return context -> {
            try {
                for (PropertySource<?> source : new YamlPropertySourceLoader()
                        .load("test", new ByteArrayResource(yaml.getBytes(StandardCharsets.UTF_8)))) {
                    context.getEnvironment().getPropertySources().addFirst(source);
                }
            } catch (java.io.IOException failure) {
                throw new java.io.UncheckedIOException(failure);
            }
        };
    }

    static Clients clients(ConfigurableApplicationContext application) {
        return new Clients(application.getEnvironment().getRequiredProperty("local.server.port", Integer.class));
    }

    @Override
    public void close() {
        started.forEach(ConfigurableApplicationContext::close);
    }
}
