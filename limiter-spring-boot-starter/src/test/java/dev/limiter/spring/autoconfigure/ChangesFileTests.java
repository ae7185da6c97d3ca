package dev.limiter.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.limiter.spring.operate.ChangeStoreException;
import dev.limiter.spring.operate.Changes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Only files of changes are ever replaced. */
class ChangesFileTests {

    private static final Changes SEVENTH = new Changes(7, Map.of());

    @TempDir
    private Path folder;

    private Path place;

    @BeforeEach
    void name() {
        place = folder.resolve("changes");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "\n",
                "x",
                "server:\n  port: 8080\n",
                "#!/bin/sh",
                "{version: 7, changes: [{rule: orders}]}",
                "{version: 7, changes: ["
            })
    void anyOtherFileStaysAsItIs(String text) throws IOException {
        Files.writeString(place, text);
        ChangesFile file = new ChangesFile(place);
        for (int i = 0; i < 2; i++) {
            assertThatThrownBy(() -> file.load(Changes.NONE))
                    .isInstanceOf(ChangeStoreException.class)
                    .hasMessageContaining(place.toString());
        }
        assertThat(place).content().isEqualTo(text);
        try (Stream<Path> all = Files.list(folder)) {
            assertThat(all).containsExactly(place);
        }

        Files.writeString(place, ChangesText.write(SEVENTH));
        assertThat(file.load(Changes.NONE)).isEqualTo(SEVENTH);
    }
}
