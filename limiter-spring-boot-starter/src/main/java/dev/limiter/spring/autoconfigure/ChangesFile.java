package dev.limiter.spring.autoconfigure;

import dev.limiter.spring.operate.ChangeStore;
import dev.limiter.spring.operate.ChangeStoreException;
import dev.limiter.spring.operate.Changes;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Stores changes in a file of this instance, which is read once and replaced as a whole. An unreadable file is never
 * overwritten. Thread-safe.
 */
final class ChangesFile implements ChangeStore {

    private final Path file;
    private boolean loaded;

    public ChangesFile(Path file) {
        this.file = file.toAbsolutePath();
    }

    @Override
    public synchronized @Nullable Changes load(Changes known) {
        if (loaded) {
            return null;
        }
        try {
            Changes stored = ChangesText.read(Files.readString(file));
            loaded = true;
            return stored;
        } catch (NoSuchFileException none) {
            Path folder = Objects.requireNonNull(file.getParent());
            if (!Files.isDirectory(folder)) {
                throw new ChangeStoreException(
                        "Changes cannot be stored in " + file + ": the folder " + folder + " does not exist.", none);
            }
            loaded = true;
            return null;
        } catch (IOException | UncheckedIOException | IllegalArgumentException unreadable) {
            throw new ChangeStoreException(
                    "The changes in " + file + " cannot be read and are not in force. Correct or delete the file: "
                            + unreadable.getMessage(),
                    unreadable);
        }
    }

    @Override
    public synchronized boolean save(Changes next) {
        Path written = file.resolveSibling(file.getFileName() + ".new");
        try {
            prepare(written);
            Files.writeString(written, ChangesText.write(next));
            Files.move(written, file, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
            return true;
        } catch (IOException unwritable) {
            throw new ChangeStoreException(
                    "The change cannot be stored in " + file + " and is not in force: " + unwritable, unwritable);
        }
    }

    /** Restricts access to the current user, as far as the file system allows, because client keys may be secrets. */
    private static void prepare(Path written) throws IOException {
        Files.deleteIfExists(written);
        if (written.getFileSystem().supportedFileAttributeViews().contains("posix")) {
            Files.createFile(
                    written, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        }
    }

    @Override
    public String place() {
        return file.toString();
    }
}
