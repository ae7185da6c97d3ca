package dev.limiter.readme;

import dev.limiter.testkit.manual.Manual;
import dev.limiter.testkit.manual.Manual.Block;
import dev.limiter.testkit.manual.Project;
import dev.limiter.testkit.manual.Transcript;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/**
 * Follows docs/getting-started.md: writes the files that it shows, compiles them, starts the application, sends the
 * requests, and compares the output.
 */
class TutorialTests {

    static final Path PAGE = Manual.page("getting-started.md");

    /** The last path in the sentence before a file is its name. */
    private static final Pattern FILE = Pattern.compile("`(src/[^`]+)`");

    private Project project;

    @BeforeEach
    void create(@TempDir Path folder) {
        project = new Project(folder, "com.example.shop.ShopApplication", TranscriptTests.Clock.class);
    }

    @AfterEach
    void close() throws IOException {
        project.close();
    }

    @TestFactory
    Stream<DynamicTest> eachStepDoesWhatThePageShows() {
        return Manual.blocks(PAGE).stream().flatMap(this::steps);
    }

    static boolean isFile(Block block) {
        return block.page().equals(PAGE) && file(block).isPresent();
    }

    private Stream<DynamicTest> steps(Block block) {
        if (block.language().equals("console")) {
            return Transcript.steps(block).stream()
                    .map(step -> DynamicTest.dynamicTest(block + ": " + step.command(), () -> project.follow(step)));
        }
        return file(block).stream()
                .map(file -> DynamicTest.dynamicTest(block + ": " + file, () -> project.write(file, block.text())));
    }

    private static Optional<String> file(Block block) {
        if (!block.language().equals("java") && !block.language().equals("yaml")) {
            return Optional.empty();
        }
        List<String> before =
                Manual.text(block.page()).lines().limit(block.line() - 1L).toList();
        String sentence = before.get(before.size() - 2);
        return FILE.matcher(sentence)
                .results()
                .map(MatchResult::group)
                .map(name -> name.replace("`", ""))
                .reduce((first, last) -> last);
    }
}
