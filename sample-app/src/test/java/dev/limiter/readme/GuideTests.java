package dev.limiter.readme;

import dev.limiter.readme.Manual.Block;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/**
 * Runs each guide with {@code console} blocks: starts an application from its Java and configuration, and replays the
 * commands in order.
 *
 * <ul>
 *   <li>A {@code java} block is one file of the package {@code com.example.shop}, unless it has a package itself. It
 *       replaces an earlier file of that type. Guides leave out the application class.
 *   <li>The {@code yaml} blocks below one heading ({@code #} or {@code ##}) are one configuration; later blocks override
 *       earlier ones. A heading without a block keeps the configuration.
 *   <li>The application starts before the first command after a change, with full limits.
 *   <li>The clock runs slowly so that no permits come back, unless the page lets requests wait.
 * </ul>
 */
class GuideTests {

    private static final Pattern TYPE =
            Pattern.compile("^(?:public |final )*(?:class|interface|record|@interface) (\\w+)", Pattern.MULTILINE);
    private static final Pattern HEADING = Pattern.compile("^##? .*", Pattern.MULTILINE);
    private static final Pattern WAITS = Pattern.compile("max-wait|maxWait");
    private static final String SOURCES = "src/main/java/com/example/shop/";
    private static final String RESOURCES = "src/main/resources/";
    private static final String APPLICATION = """
            package com.example.shop;

            @org.springframework.boot.autoconfigure.SpringBootApplication(proxyBeanMethods = false)
            public class ShopApplication {}
            """;

    @TempDir
    private Path folder;

    private final List<Project> projects = new ArrayList<>();

    @AfterEach
    void close() throws IOException {
        for (Project project : projects) {
            project.close();
        }
    }

    @TestFactory
    Stream<DynamicContainer> guidesDoWhatTheyShow() {
        return Manual.pages().stream()
                .filter(GuideTests::isRun)
                .map(page ->
                        DynamicContainer.dynamicContainer(page.getFileName().toString(), steps(page)));
    }

    static boolean isRun(Path page) {
        return page.startsWith(Manual.page("guides"))
                && !TranscriptTests.PAGES.contains(page)
                && Manual.blocks(page).stream()
                        .anyMatch(block -> block.language().equals("console"));
    }

    private Stream<DynamicTest> steps(Path page) {
        Guide guide = new Guide(folder.resolve(page.getFileName().toString()));
        return Manual.blocks(page).stream().flatMap(block -> switch (block.language()) {
            case "java" -> Stream.of(DynamicTest.dynamicTest(block.toString(), () -> guide.addJava(block.text())));
            case "yaml" -> Stream.of(DynamicTest.dynamicTest(block.toString(), () -> guide.addYaml(block)));
            case "console" ->
                Transcript.steps(block).stream()
                        .map(step -> DynamicTest.dynamicTest(block + ": " + step.command(), () -> guide.follow(step)));
            default -> Stream.of();
        });
    }

    final class Guide {

        private final Project project;
        private String yaml = "";
        private String code = "";
        private String heading = "";
        private boolean changed = true;

        Guide(Path root) {
            project = new Project(root, "com.example.shop.ShopApplication");
            projects.add(project);
        }

        void addJava(String text) throws IOException {
            Matcher type = TYPE.matcher(text);
            if (!type.find()) {
                throw new AssertionError("No type in\n" + text);
            }
            project.write(
                    SOURCES + type.group(1) + ".java",
                    text.startsWith("package ") ? text : "package com.example.shop;\n\n" + text);
            code += text;
            changed = true;
        }

        /** Adds a document to the file; later documents override earlier ones. */
        void addYaml(Block block) {
            String now = heading(block);
            yaml = now.equals(heading) ? yaml + "---\n" + block.text() : block.text();
            heading = now;
            changed = true;
        }

        void follow(Transcript.Step step) throws Exception {
            if (changed && !step.isFunction()) {
                start();
            }
            project.follow(step);
        }

        private void start() throws Exception {
            changed = false;
            project.write(SOURCES + "ShopApplication.java", APPLICATION);
            project.write(RESOURCES + "application.yml", yaml);
            boolean waits = WAITS.matcher(yaml + code).find();
            project.start("8080", "clock.slower=" + (waits ? 1 : 100), "management.endpoints.web.exposure.include=*");
        }

        private static String heading(Block block) {
            String before = Manual.text(block.page())
                    .lines()
                    .limit(block.line() - 1L)
                    .reduce("", (all, line) -> all + line + "\n");
            return HEADING.matcher(before)
                    .results()
                    .map(match -> match.start() + match.group())
                    .reduce("", (first, last) -> last);
        }
    }
}
