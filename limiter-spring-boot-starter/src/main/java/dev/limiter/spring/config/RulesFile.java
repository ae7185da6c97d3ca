package dev.limiter.spring.config;

import dev.limiter.spring.failure.LimiterConfigurationException;
import dev.limiter.spring.failure.MessageCode;
import dev.limiter.spring.failure.Problem;
import dev.limiter.spring.failure.Problems;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.EnumerablePropertySource;
import org.springframework.core.env.MutablePropertySources;
import org.springframework.core.env.PropertySource;
import org.springframework.core.io.ByteArrayResource;

/**
 * The file that {@code limiter.rules-file} names: rules as in {@code application.yml}, which come before all else in the
 * environment. Immutable.
 */
public final class RulesFile {

    public static final String PROPERTY = "limiter.rules-file";

    /** In bytes. */
    private static final int LARGEST = 1 << 20;

    private static final List<ConfigurationPropertyName> ALLOWED = List.of(
            ConfigurationPropertyName.of("limiter.rules"),
            ConfigurationPropertyName.of("limiter.web.default-limit"),
            ConfigurationPropertyName.of("limiter.web.exclude"));

    private final Path path;

    public RulesFile(Path path) {
        this.path = path.toAbsolutePath();
    }

    /** The file of an environment; null if it names none. */
    public static @Nullable RulesFile of(ConfigurableEnvironment environment) {
        String path = environment.getProperty(PROPERTY);
        return path == null || path.isBlank() ? null : new RulesFile(Path.of(path.strip()));
    }

    /**
     * The content of the file; null if there is none.
     *
     * @throws LimiterConfigurationException if it cannot be read, or is too large
     */
    public byte @Nullable [] read() {
        if (Files.notExists(path)) {
            return null;
        }
        try {
            if (!Files.isRegularFile(path)) {
                throw problem("This is no file.");
            }
            if (Files.size(path) > LARGEST) {
                throw problem("The file has more than " + LARGEST + " bytes.");
            }
            return Files.readAllBytes(path);
        } catch (IOException unreadable) {
            throw problem("The file cannot be read: " + unreadable + ".");
        }
    }

    /**
     * Puts what was read before all else in an environment, instead of what was read before.
     *
     * @throws LimiterConfigurationException if it is no YAML, or has anything but rules
     */
    public void putInto(MutablePropertySources sources, byte[] content) {
        List<PropertySource<?>> documents = documents(content);
        own(sources).toList().forEach(source -> sources.remove(source.getName()));
        // of several documents, later ones come first, as in application.yml
        documents.forEach(sources::addFirst);
    }

    /** Whether anything was put there. */
    public boolean isIn(MutablePropertySources sources) {
        return own(sources).findAny().isPresent();
    }

    private static Stream<PropertySource<?>> own(MutablePropertySources sources) {
        return sources.stream().filter(source -> source.getName().startsWith(PROPERTY));
    }

    private List<PropertySource<?>> documents(byte[] content) {
        List<PropertySource<?>> documents;
        try {
            documents = new YamlPropertySourceLoader().load(PROPERTY, new ByteArrayResource(content, path.toString()) {
                @Override
                public String toString() {
                    return path.toString();
                }
            });
        } catch (IOException | RuntimeException unreadable) {
            throw problem("This is no YAML: "
                    + String.valueOf(unreadable.getMessage())
                            .lines()
                            .findFirst()
                            .orElse(""));
        }
        if (documents.isEmpty()) {
            throw problem("It is empty: remove the rules that are not to be, or set mode: off.");
        }
        Problems problems = new Problems();
        documents.forEach(document -> check(document, problems));
        problems.throwIfAny();
        return documents;
    }

    private void check(PropertySource<?> document, Problems problems) {
        for (String name : ((EnumerablePropertySource<?>) document).getPropertyNames()) {
            ConfigurationPropertyName property = ConfigurationPropertyName.adapt(name, '.');
            if (ALLOWED.stream().noneMatch(root -> root.equals(property) || root.isAncestorOf(property))) {
                problems.add(
                        MessageCode.RULES_FILE,
                        PROPERTY,
                        path,
                        "It has " + name + ", but may have limiter.rules, limiter.web.default-limit and"
                                + " limiter.web.exclude alone.");
            }
        }
    }

    private LimiterConfigurationException problem(String reason) {
        return new LimiterConfigurationException(new Problem(MessageCode.RULES_FILE, PROPERTY, path, reason));
    }

    @Override
    public String toString() {
        return path.toString();
    }
}
