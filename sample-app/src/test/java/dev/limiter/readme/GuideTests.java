package dev.limiter.readme;

import dev.limiter.testkit.manual.Guide;
import dev.limiter.testkit.manual.Manual;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/** Runs the guides with Spring MVC. */
@Tag("long")
class GuideTests {

    /** The class path of tests/webflux has what these need. */
    private static final Set<Path> REACTIVE =
            Set.of(Manual.page("guides/webflux.md"), Manual.page("guides/gateway.md"));

    @TempDir
    private Path folder;

    private final List<Guide> guides = new ArrayList<>();

    @AfterEach
    void close() throws IOException {
        for (Guide guide : guides) {
            guide.close();
        }
    }

    @TestFactory
    Stream<DynamicContainer> guidesDoWhatTheyShow() {
        return Manual.pages().stream()
                .filter(page -> isRun(page) && !REACTIVE.contains(page))
                .map(page -> {
                    Guide guide = new Guide(page, folder, TranscriptTests.Clock.class, Map.of());
                    guides.add(guide);
                    return guide.steps();
                });
    }

    static boolean isRun(Path page) {
        return page.startsWith(Manual.page("guides"))
                && !TranscriptTests.PAGES.contains(page)
                && Manual.blocks(page).stream()
                        .anyMatch(block -> block.language().equals("console"));
    }
}
