package dev.limiter.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The pictures of the manual are those of the algorithms as they are. */
class TraceDrawingTests {

    static List<TraceDrawing.Picture> pictures() {
        return TraceDrawing.PICTURES;
    }

    @ParameterizedTest
    @MethodSource("pictures")
    void manualHasTheCurrentPicture(TraceDrawing.Picture picture) throws IOException {
        Path file = Path.of("..", "docs", "reference", "images", picture.file() + ".svg");
        assertThat(Files.readString(file))
                .as(
                        "docs/reference/images is out of date; docs/reference/algorithms.md has the command to draw it again")
                .isEqualTo(TraceDrawing.draw(picture));
    }

    @ParameterizedTest
    @MethodSource("pictures")
    void noSecondExceedsTheBound(TraceDrawing.Picture picture) {
        assertThat(Trace.of(picture.limit()).largest()).isPositive().isLessThanOrEqualTo(picture.bound());
    }
}
