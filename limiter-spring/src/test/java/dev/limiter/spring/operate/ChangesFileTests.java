package dev.limiter.spring.operate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Folders and other files stay as they are where changes are to be kept. */
class ChangesFileTests {

    @TempDir
    private Path folder;

    private Path place;

    @BeforeEach
    void name() {
        place = folder.resolve("changes");
    }

    private long entries() throws IOException {
        try (Stream<Path> all = Files.list(folder)) {
            return all.count();
        }
    }

    private void isLeft() throws IOException {
        ChangesFile file = new ChangesFile(place);
        assertThat(ChangesFile.obstacle(place)).isNotNull();
        assertThatThrownBy(() -> file.otherThan(Changes.NONE)).isInstanceOf(ChangeStoreException.class);
        assertThatThrownBy(() -> file.replace(Changes.NONE, Changes.NONE)).isInstanceOf(ChangeStoreException.class);
        assertThat(entries()).isEqualTo(1);
    }

    @Test
    void aFolderIsLeft() throws IOException {
        Files.createDirectories(place.resolve("with/folders"));
        isLeft();
        assertThat(place.resolve("with/folders")).isDirectory();
    }

    @ParameterizedTest
    @ValueSource(strings = {"server:\n  port: 8080\n", "\n", "x", "7 \nend\n", "#!/bin/sh"})
    void aFileOfAnotherKindIsLeft(String text) throws IOException {
        Files.writeString(place, text);
        isLeft();
        assertThat(place).content().isEqualTo(text);
    }

    @Test
    void aLargeFileOfAnotherKindIsLeft() throws IOException {
        Files.write(place, new byte[1_000_000]);
        isLeft();
        assertThat(place).hasSize(1_000_000);
    }

    @Test
    void aDamagedFileOfChangesIsMovedAside() throws IOException {
        for (String text : new String[] {"", "7", "7-0a", "7\nchange&rule=orders&limit=many\nend\n"}) {
            Files.writeString(place, text);
            assertThat(ChangesFile.obstacle(place)).isNull();
            assertThatThrownBy(() -> new ChangesFile(place).otherThan(Changes.NONE))
                    .hasMessageContaining("changes.unreadable");
            assertThat(folder.resolve("changes.unreadable")).content().isEqualTo(text);
            assertThat(place).doesNotExist();
        }
    }

    @Test
    void changesAreKeptWhereNothingIs() {
        assertThat(ChangesFile.obstacle(place)).isNull();
        assertThat(new ChangesFile(place).replace(Changes.NONE, Changes.NONE)).isTrue();
        assertThat(ChangesFile.obstacle(place)).isNull();
        assertThat(new ChangesFile(place).otherThan(Changes.NONE)).isNull();
    }
}
