package dev.limiter.testkit.manual;

import dev.limiter.testkit.manual.Manual.Block;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.DynamicTest;

/**
 * Runs a guide with {@code console} blocks: starts an application from its Java and configuration, and replays the
 * commands in order.
 *
 * <ul>
 *   <li>A {@code java} block is one file of the package {@code com.example.shop}, unless it has a package itself. It
 *       replaces an earlier file of that type. Guides leave out the application class.
 *   <li>The {@code yaml} blocks below one heading ({@code #} or {@code ##}) are one configuration; later blocks override
 *       earlier ones. A heading without a block keeps the configuration.
 *   <li>The application starts before the first command after a change, with full limits.
 *   <li>{@code clock.slower} is 100, so that no permits come back, unless the page lets requests wait.
 * </ul>
 */
public final class Guide implements AutoCloseable {

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

    private final Path page;
    private final Project project;
    private final Map<String, String> services;
    private final List<String> properties;
    private String yaml = "";
    private String code = "";
    private String heading = "";
    private boolean changed = true;

    /**
     * @param configuration beans that each application has in addition
     * @param services the addresses in code and configuration, each with the one that replaces it
     */
    public Guide(Path page, Path folder, Class<?> configuration, Map<String, String> services, String... properties) {
        this.page = page;
        this.project = new Project(
                folder.resolve(page.getFileName().toString()), "com.example.shop.ShopApplication", configuration);
        this.services = services;
        this.properties = List.of(properties);
    }

    @Override
    public void close() throws IOException {
        project.close();
    }

    public DynamicContainer steps() {
        return DynamicContainer.dynamicContainer(
                page.getFileName().toString(), Manual.blocks(page).stream().flatMap(this::steps));
    }

    private Stream<DynamicTest> steps(Block block) {
        return switch (block.language()) {
            case "java" -> Stream.of(DynamicTest.dynamicTest(block.toString(), () -> addJava(block.text())));
            case "yaml" -> Stream.of(DynamicTest.dynamicTest(block.toString(), () -> addYaml(block)));
            case "console" ->
                Transcript.steps(block).stream()
                        .map(step -> DynamicTest.dynamicTest(block + ": " + step.command(), () -> follow(step)));
            default -> Stream.of();
        };
    }

    private void addJava(String text) throws IOException {
        Matcher type = TYPE.matcher(text);
        if (!type.find()) {
            throw new AssertionError("No type in\n" + text);
        }
        project.write(
                SOURCES + type.group(1) + ".java",
                withServices(text.startsWith("package ") ? text : "package com.example.shop;\n\n" + text));
        code += text;
        changed = true;
    }

    /** Adds a document to the file; later documents override earlier ones. */
    private void addYaml(Block block) {
        String now = heading(block);
        yaml = now.equals(heading) ? yaml + "---\n" + block.text() : block.text();
        heading = now;
        changed = true;
    }

    private void follow(Transcript.Step step) throws Exception {
        if (changed && !step.isFunction()) {
            start();
        }
        project.follow(step);
    }

    private void start() throws Exception {
        changed = false;
        project.write(SOURCES + "ShopApplication.java", APPLICATION);
        project.write(RESOURCES + "application.yml", withServices(yaml));
        boolean waits = WAITS.matcher(yaml + code).find();
        List<String> all = new ArrayList<>(properties);
        all.addAll(List.of("clock.slower=" + (waits ? 1 : 100), "management.endpoints.web.exposure.include=*"));
        project.start("8080", all.toArray(String[]::new));
    }

    private String withServices(String text) {
        String replaced = text;
        for (Map.Entry<String, String> service : services.entrySet()) {
            replaced = replaced.replace(service.getKey(), service.getValue());
        }
        return replaced;
    }

    private static String heading(Block block) {
        String before =
                Manual.text(block.page()).lines().limit(block.line() - 1L).reduce("", (all, line) -> all + line + "\n");
        return HEADING.matcher(before)
                .results()
                .map(match -> match.start() + match.group())
                .reduce("", (first, last) -> last);
    }
}
