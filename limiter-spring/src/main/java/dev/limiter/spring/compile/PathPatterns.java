package dev.limiter.spring.compile;

import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.http.server.PathContainer;
import org.springframework.web.util.pattern.PathPattern;
import org.springframework.web.util.pattern.PathPatternParser;

/**
 * Path patterns of a rule. They cover a request if one matches the endpoint's own pattern, or the path as Spring parsed
 * it.
 *
 * <p>Matching the endpoint's pattern makes rules independent of the spelling of a URL: whatever Spring routed to the
 * endpoint is covered. Matching the path covers literal segments below a variable. It also covers static resources,
 * which Spring serves even if a path has empty segments or dots, so each path also counts as {@link PlainPath}.
 */
final class PathPatterns {

    // Bounded, because a default handler reports each path as its own pattern.
    private static final int MAX_REMEMBERED = 1_000;

    private final List<String> texts;
    private final Supplier<PathPatternParser> parser;
    private volatile @Nullable List<PathPattern> patterns;
    private final ConcurrentMap<String, Boolean> coveredEndpoints = new ConcurrentHashMap<>();

    /**
     * @param parser called once, at the first match
     * @throws org.springframework.web.util.pattern.PatternParseException if one is not a pattern
     */
    public PathPatterns(List<String> patterns, Supplier<PathPatternParser> parser) {
        this.texts = List.copyOf(patterns);
        this.parser = parser;
        // Malformed patterns fail at startup, with any parser.
        parse(PathPatternParser.defaultInstance);
    }

    private List<PathPattern> parse(PathPatternParser parser) {
        return texts.stream()
                .map(text -> parser.parse(parser.initFullPathPattern(text)))
                .toList();
    }

    private List<PathPattern> patterns() {
        List<PathPattern> known = patterns;
        if (known == null) {
            known = parse(parser.get());
            patterns = known;
        }
        return known;
    }

    /**
     * Returns whether the patterns cover a request.
     *
     * @param endpointPattern the best matching pattern, empty if there is none
     * @param path the path within the application, as parsed for routing
     */
    public boolean cover(String endpointPattern, PathContainer path) {
        if (coverEndpoint(endpointPattern) || anyMatch(path)) {
            return true;
        }
        PathContainer plain = PlainPath.of(path);
        return plain != path && anyMatch(plain);
    }

    /**
     * Returns the most specific pattern that matches one of these paths, each also as {@link PlainPath}; null if there
     * is none.
     */
    @Nullable
    PathPattern best(List<PathContainer> paths) {
        PathPattern best = null;
        for (PathContainer path : paths) {
            PathContainer plain = PlainPath.of(path);
            for (PathPattern pattern : patterns()) {
                boolean better = best == null || pattern.compareTo(best) < 0;
                if (better && (pattern.matches(path) || plain != path && pattern.matches(plain))) {
                    best = pattern;
                }
            }
        }
        return best;
    }

    /** Like {@link #cover}, but false where one spelling of the path matches and another does not. */
    boolean coverSafely(String endpointPattern, PathContainer path) {
        if (coverEndpoint(endpointPattern)) {
            return true;
        }
        PathContainer plain = PlainPath.of(path);
        return anyMatch(path) && (plain == path || anyMatch(plain));
    }

    /** Returns how the patterns cover the paths that the endpoint serves. */
    Coverage coverage(String endpointPattern) {
        if (anyCovers(endpointPattern)) {
            return Coverage.ALL;
        }
        boolean fixed = !endpointPattern.isEmpty() && isLiteral(endpointPattern);
        return fixed || patterns().stream().noneMatch(pattern -> overlap(pattern.getPatternString(), endpointPattern))
                ? Coverage.NONE
                : Coverage.SOME;
    }

    /**
     * Returns the coverage by one pattern alone. Also finds that there is none where only segments behind a variable
     * differ.
     */
    Coverage coverage(String text, String endpointPattern) {
        return mayBothMatch(parser.get().initFullPathPattern(text), endpointPattern)
                ? new PathPatterns(List.of(text), parser).coverage(endpointPattern)
                : Coverage.NONE;
    }

    /** Returns whether a path may match both. Compares all segments up to {@code **} or {@code {*name}}. */
    private boolean mayBothMatch(String pattern, String endpointPattern) {
        String[] one = pattern.split("/");
        String[] other = endpointPattern.split("/");
        int common = Math.min(one.length, other.length);
        for (int i = 0; i < common; i++) {
            if (isOpen(one[i]) || isOpen(other[i])) {
                return true;
            }
            if (!mayBeSame(one[i], other[i])) {
                return false;
            }
        }
        String[] longer = one.length > common ? one : other;
        return longer.length == common || isOpen(longer[common]);
    }

    /** Returns whether two segments may match the same text. Two segments with wildcards always may. */
    private boolean mayBeSame(String segment, String other) {
        String literal = isLiteral(other) ? other : segment;
        String pattern = isLiteral(other) ? segment : other;
        return !isLiteral(literal) || parser.get().parse("/" + pattern).matches(PathContainer.parsePath("/" + literal));
    }

    private static boolean isOpen(String segment) {
        return segment.equals("**") || segment.startsWith("{*");
    }

    /** Returns whether a path may match both; false only if they begin with literal segments that differ. */
    private boolean overlap(String pattern, String endpointPattern) {
        String[] one = pattern.split("/");
        String[] other = endpointPattern.split("/");
        for (int i = 0; i < Math.min(one.length, other.length); i++) {
            if (!isLiteral(one[i]) || !isLiteral(other[i])) {
                return true;
            }
            if (!mayBeSame(one[i], other[i])) {
                return false;
            }
        }
        return true;
    }

    private static boolean isLiteral(String pattern) {
        return pattern.indexOf('{') < 0 && pattern.indexOf('*') < 0 && pattern.indexOf('?') < 0;
    }

    private boolean coverEndpoint(String endpointPattern) {
        Boolean known = coveredEndpoints.get(endpointPattern);
        if (known != null) {
            return known;
        }
        boolean covered = anyCovers(endpointPattern);
        if (coveredEndpoints.size() < MAX_REMEMBERED) {
            coveredEndpoints.put(endpointPattern, covered);
        }
        return covered;
    }

    private boolean anyCovers(String endpointPattern) {
        boolean catchAll = isCatchAll(endpointPattern);
        PathContainer endpoint = PathContainer.parsePath(endpointPattern);
        for (PathPattern pattern : patterns()) {
            // "/files/*" matches the text "/files/**", but not the paths of that endpoint.
            if (pattern.matches(endpoint) && (!catchAll || isCatchAll(pattern.getPatternString()))) {
                return true;
            }
        }
        return false;
    }

    private boolean anyMatch(PathContainer path) {
        for (PathPattern pattern : patterns()) {
            if (pattern.matches(path)) {
                return true;
            }
        }
        return false;
    }

    private static boolean isCatchAll(String pattern) {
        return pattern.endsWith("/**") || pattern.contains("/{*");
    }

    @Override
    public String toString() {
        return texts.toString();
    }
}
