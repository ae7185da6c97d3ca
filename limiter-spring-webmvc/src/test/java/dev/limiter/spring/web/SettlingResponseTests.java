package dev.limiter.spring.web;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.mock.web.MockHttpServletResponse;

class SettlingResponseTests {

    private final MockHttpServletResponse target = new MockHttpServletResponse();
    private final List<Integer> told = new ArrayList<>();
    private final SettlingResponse response = new SettlingResponse(target, told::add);

    @BeforeEach
    void bufferAsLargeAsThatOfJetty() {
        target.setBufferSize(32 * 1024);
    }

    @Test
    void keepsQuietWhileTheBufferHoldsWhatIsWritten() throws IOException {
        for (int i = 0; i < 3; i++) {
            response.getOutputStream().write(new byte[8 * 1024]);
        }
        assertThat(told).isEmpty();
    }

    @Test
    void tellsWhenTheBufferIsFull() throws IOException {
        for (int i = 0; i < 4; i++) {
            response.getOutputStream().write(new byte[8 * 1024]);
        }
        assertThat(told).containsExactly(200);
    }

    /** Jetty sends it without putting it into its buffer. */
    @Test
    void tellsBeforeALargeWriteWhateverTheBufferHolds() throws IOException {
        response.getOutputStream().write(new byte[8 * 1024 + 1]);

        assertThat(told).containsExactly(200);
    }
}
