package dev.limiter.benchmarks.migration;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.PropertySource;
import org.springframework.core.io.ByteArrayResource;

/** A page of {@code docs/migration} with its examples, which the tests run as they are printed. */
public record MigrationPage(String text) {

    public static MigrationPage of(String file) throws IOException {
        return new MigrationPage(Files.readString(Path.of("..", "docs", "migration", file)));
    }

    /** The examples in a language, in the order of the page. */
    public List<String> blocks(String language) {
        return Pattern.compile("^```" + language + "\n(.*?)^```$", Pattern.MULTILINE | Pattern.DOTALL)
                .matcher(text)
                .results()
                .map(block -> block.group(1))
                .toList();
    }

    /** An application on a free port that is configured by an example. */
    public static SpringApplicationBuilder application(String yaml, String... properties) {
        return new SpringApplicationBuilder()
                .properties("spring.config.name=none", "server.port=0", "server.address=127.0.0.1")
                .properties("spring.main.banner-mode=off", "logging.level.root=warn")
                // on the class path, for other benchmarks
                .properties("spring.cloud.gateway.server.webflux.enabled=false")
                .properties("spring.cloud.gateway.server.webflux.redis.enabled=false")
                .properties(properties)
                .initializers(context ->
                        properties(yaml).forEach(context.getEnvironment().getPropertySources()::addFirst));
    }

    /** Returns the status of a {@code GET} to an application that runs on a port of its own. */
    public static int get(ConfigurableApplicationContext application, String path, String... headers)
            throws IOException, InterruptedException {
        String port = application.getEnvironment().getRequiredProperty("local.server.port");
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path));
        for (int i = 0; i < headers.length; i += 2) {
            request.header(headers[i], headers[i + 1]);
        }
        return HttpClient.newHttpClient()
                .send(request.build(), HttpResponse.BodyHandlers.discarding())
                .statusCode();
    }

    private static List<PropertySource<?>> properties(String yaml) {
        try {
            return new YamlPropertySourceLoader().load("example", new ByteArrayResource(yaml.getBytes(UTF_8)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
