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
 * The file that {@code limiter.rules-file} names: rules as in {@code application.yml}, which come before all else in
 * the environment. Immutable.
 */
public final class RulesFile {

    public static final String PROPERTY = "limiter.rules-file";

    /** The largest file, in bytes. */
    private static final int LARGEST = 1 << 20;

    private static final List<ConfigurationPropertyName> ALLOWED = List.of(
            ConfigurationPropertyName.of("limiter.rules"),
            ConfigurationPropertyName.of("limiter.web.default-limit"),
            ConfigurationPropertyName.of("limiter.web.exclude"));

    private static final Set<String> PARENTS = Set.of("limiter", "limiter.rules");

    /** Properties that a message names, of those that are not allowed. */
    private static final int NAMED = 10;

    private final Path path;

    public RulesFile(Path path) {
        this.path = path.toAbsolutePath();
    }

    /**
     * The file of an environment; null if it names none.
     *
     * @throws LimiterConfigurationException if it names something else than a file
     */
    public static @Nullable RulesFile of(ConfigurableEnvironment environment) {
        String location = environment.getProperty(PROPERTY);
        if (location == null) {
            return null;
        }
        try {
            if (location.isBlank()) {
                throw new IllegalArgumentException("It is empty, and no name of a file.");
            }
            return new RulesFile(FileLocation.path(location));
        } catch (IllegalArgumentException none) {
            throw new LimiterConfigurationException(
                    new Problem(MessageCode.RULES_FILE, PROPERTY, location, String.valueOf(none.getMessage())));
        }
    }

    /**
     * The content of the file; null if there is none.
     *
     * @throws LimiterConfigurationException if it cannot be read, or is too large
     */
    public byte @Nullable [] read() {
        try {
            // what is no file may never end, as a pipe
            if (!Files.readAttributes(path, BasicFileAttributes.class).isRegularFile()) {
                throw problem("This is no file.");
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
        if (!ClassUtils.isPresent("org.yaml.snakeyaml.Yaml", RulesFile.class.getClassLoader())) {
            throw problem("To read it, org.yaml:snakeyaml has to be on the class path.");
        }
        List<PropertySource<?>> documents;
        try {
            if (!YamlBombCheck.isBounded(content)) {
                throw problem("It is too much when its aliases are written out.");
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
            throw problem("It is empty: remove the rules that are not to be, or set mode: off.");
        }
        Problems problems = new Problems();
        documents.forEach(document -> check(document, problems));
        problems.throwIfAny();
        return documents;
    }

    private static String reason(Exception unreadable) {
        for (Throwable cause = unreadable; cause != null; cause = cause.getCause()) {
            if (cause instanceof CharacterCodingException) {
                return "This is no UTF-8: the file is written in another encoding.";
            }
            if (cause instanceof MarkedYAMLException wrong && wrong.getProblemMark() != null) {
                Mark mark = wrong.getProblemMark();
                return "This is no YAML: " + wrong.getProblem() + ", in line " + (mark.getLine() + 1) + ", column "
                        + (mark.getColumn() + 1) + ".";
            }
        }
        return "This is no YAML: " + unreadable.getMessage() + ".";
    }

    /** Also where {@code limiter.rules} has nothing below. */
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
                    "It has " + name + ", but may have limiter.rules, limiter.web.default-limit and"
                            + " limiter.web.exclude alone.");
        }
        if (others.size() > NAMED) {
            problems.add(
                    MessageCode.RULES_FILE,
                    PROPERTY,
                    path,
                    "It has " + others.get(NAMED) + " and " + (others.size() - NAMED - 1)
                            + " more that it may not have.");
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
