package dev.limiter.readme;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The manual, messages and property descriptions are written in plain English, by the list of {@code .ci/words.txt}.
 */
class ProseTests {

    private static final Path ROOT = Path.of("..");
    private static final int MOST_PER_1000_LINES = 15;
    private static final Pattern LITERAL = Pattern.compile("\"((?:[^\"\\\\]|\\\\.)*)\"");
    private static final Map<Pattern, String> WORDS = words();

    private static Map<Pattern, String> words() {
        Map<Pattern, String> words = new LinkedHashMap<>();
        lines(ROOT.resolve(".ci/words.txt"))
                .filter(line -> !line.startsWith("#") && !line.isBlank())
                .map(line -> line.split(" => ", 2))
                .forEach(rule -> words.put(Pattern.compile(rule[0], Pattern.CASE_INSENSITIVE), rule[1]));
        return words;
    }

    /** After a failure, write the listed sentences again instead of replacing single words. */
    @Test
    void oddPhrasesAreRare() throws IOException {
        List<String> prose = new ArrayList<>();
        List<String> hits = new ArrayList<>();
        for (Path file : files()) {
            List<String> text = prose(file);
            for (int i = 0; i < text.size(); i++) {
                String where = ROOT.relativize(file) + ":" + (i + 1) + ": ";
                hits.addAll(hits(text.get(i)).stream().map(hit -> where + hit).toList());
            }
            text.stream().filter(line -> !line.isBlank()).forEach(prose::add);
        }
        assertThat(prose).hasSizeGreaterThan(1000);
        assertThat(hits.size() * 1000.0 / prose.size())
                .as("odd phrases in 1,000 lines: " + hits.size() + " in " + prose.size() + "\n"
                        + String.join("\n", hits))
                .isLessThanOrEqualTo(MOST_PER_1000_LINES);
    }

    private static List<String> hits(String text) {
        return WORDS.entrySet().stream()
                .flatMap(rule -> rule.getKey()
                        .matcher(text)
                        .results()
                        .map(hit -> "\"" + hit.group().strip() + "\" -> " + rule.getValue() + ": " + around(text, hit)))
                .toList();
    }

    private static String around(String text, MatchResult hit) {
        return text.substring(Math.max(hit.start() - 40, 0), Math.min(hit.end() + 40, text.length()))
                .strip();
    }

    private static List<Path> files() throws IOException {
        List<Path> files = new ArrayList<>(filesBelow(ROOT, 1, "[A-Z]+\\.md"));
        files.addAll(filesBelow(ROOT.resolve("docs"), 9, "(?!\\.).*\\.md"));
        try (Stream<Path> modules = Files.list(ROOT)) {
            for (Path module : modules.filter(ProseTests::isPublished).sorted().toList()) {
                files.addAll(filesBelow(module.resolve("src/main/java"), 99, ".*\\.java"));
            }
        }
        return files;
    }

    private static boolean isPublished(Path module) {
        return module.getFileName().toString().startsWith("limiter-")
                && Files.isDirectory(module.resolve("src/main/java"));
    }

    private static List<Path> filesBelow(Path folder, int depth, String name) throws IOException {
        try (Stream<Path> all = Files.walk(folder, depth)) {
            return all.filter(file -> folder.relativize(file).toString().matches(name))
                    .sorted()
                    .toList();
        }
    }

    /** Returns the prose in each line: text outside of code, or string literals of several words. */
    private static List<String> prose(Path file) {
        List<String> prose = new ArrayList<>();
        boolean manual = file.toString().endsWith(".md");
        boolean code = false;
        for (String line : lines(file).toList()) {
            boolean fence = manual && line.strip().startsWith("```");
            code ^= fence;
            prose.add(code || fence ? "" : manual ? line.replaceAll("`[^`]*`", "x") : literals(line));
        }
        return prose;
    }

    private static String literals(String line) {
        return line.strip().startsWith("*")
                ? ""
                : LITERAL.matcher(line)
                        .results()
                        .map(literal -> literal.group(1))
                        .filter(literal -> literal.split(" ").length > 3)
                        .collect(Collectors.joining(" "));
    }

    private static Stream<String> lines(Path file) {
        try {
            return Files.readString(file).lines();
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }
}
