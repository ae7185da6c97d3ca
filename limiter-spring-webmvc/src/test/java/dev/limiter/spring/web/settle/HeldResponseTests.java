package dev.limiter.spring.web.settle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.limiter.testkit.Conditions;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.http.HttpServletResponseWrapper;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.mock.web.DelegatingServletOutputStream;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;

class HeldResponseTests {

    private static final int BUFFER = 32;

    private final MockHttpServletResponse target = new MockHttpServletResponse();
    private final List<Integer> told = new ArrayList<>();
    private boolean open = true;
    private final HeldResponse response =
            new HeldResponse(new MockHttpServletRequest(), target, () -> open, answer -> told.add(answer.status()));

    @BeforeEach
    void begin() {
        target.setBufferSize(BUFFER);
        response.answer().begin(DispatcherType.REQUEST, true);
    }

    private String sent() throws IOException {
        return target.getContentAsString();
    }

    @Test
    void holdsWhatFitsIntoTheBuffer() throws IOException {
        response.getOutputStream().write(new byte[BUFFER]);

        assertThat(told).isEmpty();
        assertThat(target.getContentAsByteArray()).isEmpty();
    }

    @Test
    void sendsWhatDoesNot() throws IOException {
        ServletOutputStream out = response.getOutputStream();
        out.write(new byte[BUFFER]);
        out.write(1);

        assertThat(told).containsExactly(200);
        assertThat(target.getContentAsByteArray()).hasSize(BUFFER + 1);
        assertThat(target.isCommitted()).isTrue();
    }

    @Test
    void keepsTheOrderOfWriterAndStream() throws IOException {
        response.getWriter().print("<");
        response.getOutputStream().print("plain");
        response.getWriter().print(">");
        response.answer().end(false);

        assertThat(told).containsOnly(200);
        assertThat(sent()).isEqualTo("<plain>");
    }

    @Test
    void whatAnotherThreadWritesComesBehindWhatIsHeld() throws Exception {
        List<String> sent = new CopyOnWriteArrayList<>();
        AtomicReference<Thread> other = new AtomicReference<>();
        HttpServletResponseWrapper slow = new HttpServletResponseWrapper(target) {
            @Override
            public ServletOutputStream getOutputStream() {
                return new DelegatingServletOutputStream(OutputStream.nullOutputStream()) {
                    @Override
                    public void write(byte[] bytes, int offset, int length) {
                        Thread writing = other.get();
                        if (writing.getState() == Thread.State.NEW) {
                            writing.start();
                            Conditions.await(() -> writing.getState() == Thread.State.WAITING || !writing.isAlive());
                        }
                        sent.add(new String(bytes, offset, length, StandardCharsets.UTF_8));
                    }
                };
            }
        };
        HeldResponse held = new HeldResponse(new MockHttpServletRequest(), slow, () -> true, answer -> {});
        held.answer().begin(DispatcherType.REQUEST, true);
        ServletOutputStream out = held.getOutputStream();
        other.set(new Thread(() -> {
            try {
                out.write("later".getBytes(StandardCharsets.UTF_8));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }));

        out.print("held");
        held.answer().send();
        other.get().join();

        assertThat(sent).containsExactly("held", "later");
    }

    @Test
    void lengthThatIsTakenBackIsNone() throws IOException {
        response.setContentLength(100);
        response.setHeader("Content-Length", null);
        response.getOutputStream().print("short");
        response.answer().end(false);

        assertThat(told).containsExactly(200);
    }

    @Test
    void countsCharactersByTheBytesThatTheyBecome() throws IOException {
        response.setCharacterEncoding("UTF-8");
        PrintWriter writer = response.getWriter();
        writer.print("x".repeat(BUFFER - 6));
        writer.print("\u20ac\u20ac");
        assertThat(told).isEmpty();

        writer.print('x');
        assertThat(told).containsExactly(200);
        assertThat(sent()).isEqualTo("x".repeat(BUFFER - 6) + "\u20ac\u20acx");
    }

    @Test
    void countsACharacterThatComesInTwoHalvesOnce() throws IOException {
        response.setCharacterEncoding("UTF-8");
        PrintWriter writer = response.getWriter();
        for (int i = 0; i < BUFFER / 4; i++) {
            writer.write("\ud83d\ude00".charAt(0));
            writer.write("\ud83d\ude00".charAt(1));
        }
        assertThat(told).isEmpty();

        response.answer().send();
        assertThat(sent()).isEqualTo("\ud83d\ude00".repeat(BUFFER / 4));
    }

    @Test
    void sendsWhatIsCompleteAtOnce() throws IOException {
        response.setContentLength(8);
        response.getOutputStream().print("complete");

        assertThat(told).containsExactly(200);
        assertThat(sent()).isEqualTo("complete");
        assertThat(target.isCommitted()).isTrue();
    }

    @Test
    void sendsWhatIsFlushed() throws IOException {
        response.getWriter().print("flushed");
        response.setStatus(201);
        assertThat(response.getWriter().checkError()).isFalse();

        assertThat(told).containsExactly(201);
        assertThat(sent()).isEqualTo("flushed");
    }

    @Test
    void forgetsWhatIsReset() throws IOException {
        response.getWriter().print("never sent");
        response.resetBuffer();
        response.getWriter().print("nor this");
        response.reset();
        response.getOutputStream().print("sent");
        response.answer().send();

        assertThat(sent()).isEqualTo("sent");
    }

    @Test
    void leavesTheBufferAsLargeAsItIsOnceItHoldsSomething() throws IOException {
        response.setBufferSize(BUFFER * 2);
        response.getOutputStream().write(new byte[BUFFER + 1]);

        assertThat(told).isEmpty();
        assertThatIllegalStateException().isThrownBy(() -> response.setBufferSize(BUFFER));
    }

    @Test
    void holdsNothingWithoutAnOpenCharge() throws IOException {
        open = false;
        response.getWriter().print("passed");

        assertThat(sent()).isEqualTo("passed");
        assertThat(told).isEmpty();
    }

    @Test
    void tellsWhereARedirectionLeads() throws IOException {
        List<String> locations = new ArrayList<>();
        HeldResponse redirecting = new HeldResponse(
                new MockHttpServletRequest(),
                target,
                () -> true,
                answer -> locations.add(answer.getHeader("location")));
        redirecting.getWriter().print("never sent");
        redirecting.sendRedirect("/login?error");

        assertThat(locations).containsExactly("/login?error");
        assertThat(target.getContentAsByteArray()).isEmpty();
    }

    @Test
    void waitsForTheErrorPage() throws IOException {
        response.getWriter().print("never sent");
        response.sendError(404);

        assertThat(told).isEmpty();
        assertThat(response.answer().isAwaitingErrorPage()).isTrue();
        assertThat(target.getContentAsByteArray()).isEmpty();
    }

    /** Jetty sends it, and the answer after it. */
    @Test
    void interimResponseLeavesTheAnswerAsItIs() throws IOException {
        HeldResponse behindInterim = new HeldResponse(
                new MockHttpServletRequest(),
                new HttpServletResponseWrapper(target) {
                    @Override
                    public void sendError(int status) {
                        assertThat(status).isEqualTo(103);
                    }
                },
                () -> true,
                answer -> told.add(answer.status()));
        behindInterim.answer().begin(DispatcherType.REQUEST, false);
        behindInterim.getOutputStream().print("sent");
        behindInterim.sendError(103);
        behindInterim.answer().end(false);

        assertThat(told).containsExactly(200);
        assertThat(sent()).isEqualTo("sent");
    }

    @Test
    void doesNotWaitForAPageThatNobodyMakes() throws IOException {
        response.answer().begin(DispatcherType.REQUEST, false);
        response.sendError(404);

        assertThat(told).containsExactly(404);
    }

    @Test
    void whatIsWrittenWithoutABufferIsSettledFirst() throws IOException {
        response.getOutputStream().print("held ");
        response.answer().expectNoBuffer();
        response.getOutputStream().print("passed");

        assertThat(told).containsExactly(200);
        assertThat(sent()).isEqualTo("held passed");
    }
}
