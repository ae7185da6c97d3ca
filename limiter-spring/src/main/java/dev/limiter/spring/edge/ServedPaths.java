package dev.limiter.spring.edge;

import dev.limiter.spring.compile.Coverage;
import dev.limiter.spring.compile.RateLimitRule;
import dev.limiter.spring.compile.RuleSet;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.core.io.Resource;

/** Everything that an application serves, as far as its mappings show. Not thread-safe. */
public final class ServedPaths {

    /** {@code methods}: empty if the mapping declares none. */
    private record Mapped(String pattern, Set<String> methods) {}

    /** {@code byPath}: whether only files at those locations are found, by their paths. */
    private record Files(List<Resource> locations, boolean byPath) {}

    private final List<Mapped> mapped = new ArrayList<>();
    private final List<Files> files = new ArrayList<>();

    /** Adds a pattern; {@code methods}: empty if the mapping declares none. */
    public void add(String pattern, Set<String> methods) {
        mapped.add(new Mapped(pattern, methods));
    }

    /**
     * Adds static files for all paths. A pattern would cover every rule; what counts is whether there are files.
     *
     * @param byPath whether only files at those locations are found, by their paths
     */
    public void addFiles(List<Resource> locations, boolean byPath) {
        files.add(new Files(locations, byPath));
    }

    /**
     * Returns whether requests to which the rule applies by one of its paths can find anything but 404; true if that is
     * unknown.
     */
    public boolean anyUnder(RateLimitRule rule, String path, RuleSet ruleSet) {
        return mapped.stream()
                        .anyMatch(endpoint -> isUnder(
                                method -> rule.matcher().coverage(path, method, endpoint.pattern), endpoint, ruleSet))
                || files.stream().anyMatch(found -> mayHave(found, path));
    }

    /** Looks for what comes before the first segment with a wildcard. */
    private static boolean mayHave(Files files, String path) {
        String literal = Stream.of(path.split("/"))
                .takeWhile(segment -> !segment.matches(".*[*?{].*"))
                .filter(segment -> !segment.isEmpty())
                .collect(Collectors.joining("/"));
        return literal.isEmpty()
                || !files.byPath
                || files.locations.stream().anyMatch(location -> exists(location, literal));
    }

    /** In an archive, only a name with a slash at its end is a folder. */
    private static boolean exists(Resource location, String path) {
        try {
            return location.createRelative(path).exists()
                    || location.createRelative(path + "/").exists();
        } catch (IOException unknown) {
            return true;
        }
    }

    /** Returns the pattern of an endpoint that is longer than a path. */
    public Optional<String> below(String path) {
        return mapped.stream()
                .map(Mapped::pattern)
                .filter(pattern -> !isOpen(pattern) && pattern.startsWith(path + "/"))
                .findFirst();
    }

    private static boolean isOpen(String pattern) {
        return pattern.contains(Resources.ALL_PATHS) || pattern.contains("{*");
    }

    /** {@code byMethod}: how the endpoint is covered, by the HTTP method, or null for any. */
    private static boolean isUnder(Function<@Nullable String, Coverage> byMethod, Mapped endpoint, RuleSet ruleSet) {
        if (ruleSet.exclusion(endpoint.pattern) == Coverage.ALL) {
            return false;
        }
        return endpoint.methods.isEmpty()
                ? byMethod.apply(null) != Coverage.NONE
                : endpoint.methods.stream().anyMatch(method -> byMethod.apply(method) != Coverage.NONE);
    }
}
