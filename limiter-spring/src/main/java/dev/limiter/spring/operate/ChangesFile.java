package dev.limiter.spring.operate;

import dev.limiter.spring.operate.Changes.Revision;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Objects;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Changes in a file of this instance, which is replaced whole and read once: the next start begins with them. A file of
 * changes that is damaged is moved aside, and its changes are not in force; what is no file of changes is neither moved
 * nor replaced. Thread-safe.
 */
public final class ChangesFile implements ChangeStore {

    /** The last line: without it, the file is cut. */
    private static final String END = "end\n";

    private static final Log logger = LogFactory.getLog(ChangesFile.class);

    private final Path file;
    private boolean read;

    public ChangesFile(Path file) {
        this.file = file.toAbsolutePath();
    }

    /**
     * Why changes cannot be kept there: it is something else than a file of changes, whose first line is a revision.
     * Null if it is one, empty, not there yet, or not to be read.
     */
    public static @Nullable String obstacle(Path file) {
        if (Files.isDirectory(file)) {
            return "It is a folder.";
        }
        if (Files.notExists(file)) {
            return null;
        }
        try (InputStream in = Files.newInputStream(file)) {
            String beginning = new String(in.readNBytes(Revision.LONGEST + 1), StandardCharsets.ISO_8859_1);
            boolean ours = beginning.isEmpty()
                    || Revision.isOne(beginning.lines().findFirst().orElse(""));
            return ours ? null : "It is a file with something else than changes of rules.";
        } catch (IOException unreadable) {
            return null; // which is told when it is read
        }
    }

    @Override
    public synchronized @Nullable Changes otherThan(Changes known) {
        if (read) {
            return null;
        }
        read = true;
        String obstacle = obstacle(file);
        if (obstacle != null) {
            throw ChangeStoreException.unreadable("No change can be kept in " + file + ". " + obstacle, null);
        }
        try {
            String text = Files.readString(file);
            int end = text.indexOf('\n');
            Revision revision = Revision.parse(text.substring(0, Math.max(end, 0)));
            if (!text.endsWith("\n" + END)) {
                throw new IllegalArgumentException("The last line is missing: the file may be cut.");
            }
            Changes kept = ChangesText.read(revision, text.substring(end + 1, text.length() - END.length()));
            return revision.equals(known.revision()) ? null : kept;
        } catch (NoSuchFileException none) {
            if (!Files.isDirectory(folder())) {
                throw ChangeStoreException.unreadable(
                        "No change can be kept in " + file + ", since there is no folder " + folder(), none);
            }
            return null;
        } catch (CharacterCodingException | IllegalArgumentException damaged) {
            throw ChangeStoreException.unreadable(
                    "The changes in " + file + " could not be read, and are not in force"
                            + (moveAside()
                                    ? "; the file is now called "
                                            + sibling(".unreadable").getFileName()
                                            + ", and the next change begins a new one"
                                    : "")
                            + ": " + damaged.getMessage(),
                    damaged);
        } catch (IOException | UncheckedIOException unreadable) {
            throw ChangeStoreException.unreadable(
                    "The changes in " + file + " could not be read, and are not in force: " + unreadable, unreadable);
        }
    }

    /** Keys of clients may be secrets: only this user may read the file, where the file system has permissions. */
    private static void prepare(Path written) throws IOException {
        Files.deleteIfExists(written);
        if (written.getFileSystem().supportedFileAttributeViews().contains("posix")) {
            Files.createFile(
                    written, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        }
    }

    private boolean moveAside() {
        try {
            Files.move(file, sibling(".unreadable"), StandardCopyOption.REPLACE_EXISTING);
            return true;
        } catch (IOException left) {
            logger.debug("It stays where it is", left);
            return false;
        }
    }

    private Path folder() {
        return Objects.requireNonNull(file.getParent());
    }

    private Path sibling(String suffix) {
        return file.resolveSibling(file.getFileName() + suffix);
    }

    @Override
    public synchronized boolean replace(Changes former, Changes next) {
        Path written = sibling(".new");
        String obstacle = Files.exists(file) && !Files.isReadable(file) ? "It cannot be read." : obstacle(file);
        if (obstacle != null) {
            throw new ChangeStoreException(
                    "The change cannot be kept in " + file + ", and is not in force. " + obstacle, null);
        }
        try {
            prepare(written);
            Files.writeString(written, next.revision() + "\n" + ChangesText.write(next) + END);
            Files.move(written, file, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
            return true;
        } catch (IOException unwritable) {
            throw new ChangeStoreException(
                    "The change cannot be kept in " + file + ", and is not in force: " + unwritable, unwritable);
        }
    }

    @Override
    public String place() {
        return file.toString();
    }
}
