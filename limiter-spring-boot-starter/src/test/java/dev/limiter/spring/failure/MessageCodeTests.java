package dev.limiter.spring.failure;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** All codes have an entry in the documentation. */
class MessageCodeTests {

    private static final Path PAGE = Path.of("../docs/reference/messages.md");
    private static final List<Path> SOURCES = Stream.of(
                    "limiter-spring",
                    "limiter-spring-webmvc",
                    "limiter-spring-webflux",
                    "limiter-actuator",
                    "limiter-spring-boot-starter")
            .map(module -> Path.of("..", module, "src/main/java"))
            .toList();

    @Test
    void eachCodeHasOneEntryInTheDocumentationAndEachEntryACode() throws IOException {
        List<String> documented = Files.readAllLines(PAGE).stream()
                .filter(line -> line.startsWith("### "))
                .map(line -> line.substring(4))
                .toList();

        assertThat(documented)
                .containsExactlyElementsOf(Arrays.stream(MessageCode.values())
                        .map(MessageCode::code)
                        .toList());
    }

    @Test
    void entriesHaveText() throws IOException {
        Map<String, Integer> words = new LinkedHashMap<>();
        String entry = "";
        for (String line : Files.readAllLines(PAGE)) {
            entry = line.startsWith("#") ? line : entry;
            words.merge(entry, line.startsWith("#") ? 0 : line.split(" ").length, Integer::sum);
        }

        words.keySet().removeIf(heading -> !heading.startsWith("### "));
        assertThat(words).allSatisfy((code, count) -> assertThat(count).as(code).isGreaterThan(8));
    }

    @ParameterizedTest
    @EnumSource
    void codeHasThreeDigitsAndAnAction(MessageCode code) {
        assertThat(code.code()).matches("LIM-[0-9]{3}");
        assertThat(code.action()).matches("[A-Z].*\\.");
    }

    @ParameterizedTest
    @EnumSource
    void codeIsUsed(MessageCode code) throws IOException {
        Pattern use = Pattern.compile("MessageCode\\s*\\.\\s*" + code.name() + "\\b");
        assertThat(SOURCES.stream().flatMap(MessageCodeTests::files))
                .anyMatch(file -> use.matcher(read(file)).find());
    }

    private static Stream<Path> files(Path folder) {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(Files::isRegularFile).toList().stream();
        } catch (IOException exception) {
            throw new UncheckedIOException(exception);
        }
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException exception) {
            throw new UncheckedIOException(exception);
        }
    }
}
