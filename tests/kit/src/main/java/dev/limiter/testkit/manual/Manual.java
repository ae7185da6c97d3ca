package dev.limiter.testkit.manual;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Reads README.md and all pages of the manual, with their code blocks. */
public final class Manual {

    public static final Path ROOT = root();
    public static final Path README = ROOT.resolve("README.md");
    public static final Path FOLDER = ROOT.resolve("docs");

    private static final String FENCE = "```";

    /** A code block. {@code line} is that of its first fence, from 1. */
    public record Block(Path page, int line, String language, String text) {

        public List<String> lines() {
            return text.lines().toList();
        }

        @Override
        public String toString() {
            return ROOT.relativize(page) + ":" + line + " " + language;
        }
    }

    private Manual() {}

    /** Returns the folder of the project, from that of a module. */
    private static Path root() {
        Path folder = Path.of("..");
        while (!Files.exists(folder.resolve("docs/README.md"))) {
            folder = folder.resolve("..");
        }
        return folder;
    }

    public static Path page(String name) {
        return FOLDER.resolve(name);
    }

    public static List<Path> pages() {
        try (Stream<Path> manual = Files.walk(FOLDER)) {
            return Stream.concat(
                            Stream.of(README),
                            manual.filter(page -> page.toString().endsWith(".md"))
                                    .sorted())
                    .toList();
        } catch (IOException exception) {
            throw new UncheckedIOException(exception);
        }
    }

    public static String text(Path page) {
        try {
            return Files.readString(page);
        } catch (IOException exception) {
            throw new UncheckedIOException(exception);
        }
    }

    public static Stream<Block> blocks() {
        return pages().stream().flatMap(page -> blocks(page).stream());
    }

    public static Stream<Block> blocks(String language) {
        return blocks().filter(block -> block.language().equals(language));
    }

    public static List<Block> blocks(Path page) {
        List<Block> blocks = new ArrayList<>();
        List<String> lines = text(page).lines().toList();
        int start = -1;
        for (int i = 0; i < lines.size(); i++) {
            if (!lines.get(i).strip().startsWith(FENCE)) {
                continue;
            }
            if (start < 0) {
                start = i;
            } else {
                String language =
                        lines.get(start).strip().substring(FENCE.length()).strip();
                blocks.add(new Block(page, start + 1, language, String.join("\n", lines.subList(start + 1, i)) + "\n"));
                start = -1;
            }
        }
        if (start >= 0) {
            throw new IllegalStateException(page + ":" + (start + 1) + " has no end");
        }
        return blocks;
    }
}
