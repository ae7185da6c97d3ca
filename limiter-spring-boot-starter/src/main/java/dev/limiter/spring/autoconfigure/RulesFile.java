package dev.limiter.spring.autoconfigure;

import dev.limiter.spring.config.FileLocation;
import dev.limiter.spring.failure.LimiterConfigurationException;
import dev.limiter.spring.failure.MessageCode;
import dev.limiter.spring.failure.Problem;
import dev.limiter.spring.failure.Problems;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.EnumerablePropertySource;
import org.springframework.core.env.MutablePropertySources;
import org.springframework.core.env.PropertySource;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.util.ClassUtils;
import org.yaml.snakeyaml.error.Mark;
import org.yaml.snakeyaml.error.MarkedYAMLException;

/**
 * The file of {@code limiter.rules-file}: rules as in {@code application.yml}, with precedence over the whole
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

    private static final Set<String> PARENTS = Set.of("limiter", "limiter.rules");

    /** The number of forbidden properties that are listed one by one. */
    private static final int NAMED = 10;

    private final Path path;

    public RulesFile(Path path) {
        this.path = path.toAbsolutePath();
    }

    /**
     * Returns the rules file of an environment; null if there is none.
     *
     * @throws LimiterConfigurationException if the property is not a path
     */
    public static @Nullable RulesFile of(ConfigurableEnvironment environment) {
        String location = environment.getProperty(PROPERTY);
        if (location == null) {
            return null;
        }
        try {
            if (location.isBlank()) {
                throw new IllegalArgumentException("It is empty.");
            }
            return new RulesFile(FileLocation.path(location));
        } catch (IllegalArgumentException none) {
            throw new LimiterConfigurationException(
                    new Problem(MessageCode.RULES_FILE, PROPERTY, location, String.valueOf(none.getMessage())));
        }
    }

    /**
     * Reads the file; returns null if it does not exist.
     *
     * @throws LimiterConfigurationException if it is unreadable or too large
     */
    public byte @Nullable [] read() {
        try {
            // reading a pipe might never end
            if (!Files.readAttributes(path, BasicFileAttributes.class).isRegularFile()) {
                throw problem("This is not a regular file.");
            }
            byte[] content = start();
            if (content.length > LARGEST) {
                throw problem("The file has more than " + LARGEST + " bytes.");
            }
            return content;
        } catch (NoSuchFileException gone) {
            return null;
        } catch (IOException unreadable) {
            throw problem("The file cannot be read: " + unreadable + ".");
        }
    }

    private byte[] start() throws IOException {
        try (InputStream file = Files.newInputStream(path)) {
            return file.readNBytes(LARGEST + 1);
        }
    }

    /**
     * Puts the content first in an environment, and replaces the previous content.
     *
     * @throws LimiterConfigurationException if it is invalid YAML, or contains anything but rules
     */
    public void putInto(MutablePropertySources sources, byte[] content) {
        List<PropertySource<?>> documents = documents(content);
        own(sources).toList().forEach(source -> sources.remove(source.getName()));
        // later documents override earlier ones, as in application.yml
        documents.forEach(sources::addFirst);
    }

    /** Returns whether the environment contains content of the file. */
    public boolean isIn(MutablePropertySources sources) {
        return own(sources).findAny().isPresent();
    }

    private static Stream<PropertySource<?>> own(MutablePropertySources sources) {
        return sources.stream().filter(source -> source.getName().startsWith(PROPERTY));
    }

    private List<PropertySource<?>> documents(byte[] content) {
        if (!ClassUtils.isPresent("org.yaml.snakeyaml.Yaml", RulesFile.class.getClassLoader())) {
            throw problem("Reading it requires org.yaml:snakeyaml on the class path.");
        }
        List<PropertySource<?>> documents;
        try {
            if (!YamlBombCheck.isBounded(content)) {
                throw problem("Its YAML aliases expand to too many values.");
            }
            documents = new YamlPropertySourceLoader().load(PROPERTY, new ByteArrayResource(content, path.toString()) {
                @Override
                public String getDescription() {
                    return "file [" + path + "]";
                }
            });
        } catch (LimiterConfigurationException tooLarge) {
            throw tooLarge;
        } catch (IOException | RuntimeException unreadable) {
            throw problem(reason(unreadable));
        }
        if (documents.stream().allMatch(RulesFile::isEmpty)) {
            throw problem("It is empty. To turn a rule off, set mode: off instead.");
        }
        Problems problems = new Problems();
        documents.forEach(document -> check(document, problems));
        problems.throwIfAny();
        return documents;
    }

    private static String reason(Exception unreadable) {
        for (Throwable cause = unreadable; cause != null; cause = cause.getCause()) {
            if (cause instanceof CharacterCodingException) {
                return "The file is not encoded in UTF-8.";
            }
            if (cause instanceof MarkedYAMLException wrong && wrong.getProblemMark() != null) {
                Mark mark = wrong.getProblemMark();
                return "Invalid YAML: " + wrong.getProblem() + ", in line " + (mark.getLine() + 1) + ", column "
                        + (mark.getColumn() + 1) + ".";
            }
        }
        return "Invalid YAML: " + unreadable.getMessage() + ".";
    }

    /** Returns whether a document has no rules, including an empty {@code limiter.rules}. */
    private static boolean isEmpty(PropertySource<?> document) {
        EnumerablePropertySource<?> properties = (EnumerablePropertySource<?>) document;
        return Arrays.stream(properties.getPropertyNames())
                .allMatch(name -> PARENTS.contains(name)
                        && String.valueOf(properties.getProperty(name)).isEmpty());
    }

    private void check(PropertySource<?> document, Problems problems) {
        List<String> others = Arrays.stream(((EnumerablePropertySource<?>) document).getPropertyNames())
                .filter(name -> !isAllowed(ConfigurationPropertyName.adapt(name, '.')))
                .toList();
        for (String name : others.subList(0, Math.min(others.size(), NAMED))) {
            problems.add(
                    MessageCode.RULES_FILE,
                    PROPERTY,
                    path,
                    "It contains " + name + ", but only limiter.rules, limiter.web.default-limit and"
                            + " limiter.web.exclude are allowed.");
        }
        if (others.size() > NAMED) {
            problems.add(
                    MessageCode.RULES_FILE,
                    PROPERTY,
                    path,
                    "It contains " + others.get(NAMED) + " and " + (others.size() - NAMED - 1)
                            + " more properties that are not allowed.");
        }
    }

    private static boolean isAllowed(ConfigurationPropertyName property) {
        return ALLOWED.stream().anyMatch(root -> root.equals(property) || root.isAncestorOf(property));
    }

    private LimiterConfigurationException problem(String reason) {
        return new LimiterConfigurationException(new Problem(MessageCode.RULES_FILE, PROPERTY, path, reason));
    }

    @Override
    public String toString() {
        return path.toString();
    }
}
