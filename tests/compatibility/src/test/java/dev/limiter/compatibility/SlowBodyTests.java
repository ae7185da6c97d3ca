package dev.limiter.compatibility;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.limiter.testkit.RawClient;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.servlet.config.annotation.InterceptorRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;
import org.springframework.web.servlet.i18n.LocaleChangeInterceptor;

/** Bodies that arrive slowly while their requests wait are not changed. */
class SlowBodyTests {

    private static final int BODIES = 70;
    private static final int PIECES = 32;
    private static final int PIECE = 192;

    private static final String[] PROPERTIES = Applications.limiter("""
        rules:
          pace: { paths: /paced/**, algorithm: leaky-bucket, burst: 1000, limit: 400, window: 1s, max-wait: 1m }
          pool: { paths: /pool/**, algorithm: concurrency, limit: 1, max-wait: 1m }
        """, "server.tomcat.connection-timeout=2m");

    /** An interceptor reads forms while the request waits. The handler reads other bodies afterwards. */
    @ParameterizedTest
    @CsvSource({"false, /paced /pool", "true, /paced"})
    void arriveUnchanged(boolean virtualThreads, String paths) throws IOException {
        assumeThat(!virtualThreads || JRE.currentJre().compareTo(JRE.JAVA_21) >= 0)
                .isTrue();
        try (ConfigurableApplicationContext application =
                Applications.start(Application.class, PROPERTIES, "spring.threads.virtual.enabled=" + virtualThreads)) {
            for (String path : paths.split(" ")) {
                assertArriveUnchanged(application, path + "/form");
                assertArriveUnchanged(application, path + "/raw");
            }
        }
    }

    private static void assertArriveUnchanged(ConfigurableApplicationContext application, String path)
            throws IOException {
        int port = application.getEnvironment().getRequiredProperty("local.server.port", Integer.class);
        RawClient client = new RawClient(port);
        List<Socket> sockets = new ArrayList<>();
        List<String> bodies =
                IntStream.range(0, BODIES).mapToObj(SlowBodyTests::body).toList();
        try {
            for (int i = 0; i < BODIES; i++) {
                sockets.add(client.connect());
                sendHead(sockets.get(i), path);
            }
            // the end of one request lets the next one proceed while its body is still arriving
            for (int i = 0; i < BODIES; i++) {
                for (int piece = 0; piece < PIECES; piece++) {
                    send(sockets.get(i), bodies.get(i).substring(piece * PIECE, (piece + 1) * PIECE));
                }
            }
            for (int i = 0; i < BODIES; i++) {
                RawClient.Answer answer = RawClient.answerOf(sockets.get(i));
                assertThat(answer.status()).isEqualTo(200);
                assertThat(answer.body()).as("body " + i).isEqualTo(bodies.get(i));
            }
        } finally {
            for (Socket socket : sockets) {
                socket.close();
            }
        }
    }

    private static void sendHead(Socket socket, String path) throws IOException {
        String type = path.endsWith("form") ? "application/x-www-form-urlencoded" : "text/plain";
        send(
                socket,
                "POST " + path + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: " + type
                        + "\r\nContent-Length: " + PIECES * PIECE + "\r\n\r\n");
    }

    private static void send(Socket socket, String text) throws IOException {
        socket.getOutputStream().write(text.getBytes(ISO_8859_1));
        socket.getOutputStream().flush();
    }

    /** Returns a body with different content at each position, and different from other bodies. */
    private static String body(int number) {
        return IntStream.range(0, PIECES * PIECE / 8)
                .mapToObj(place -> place == 0 ? "text=%03d".formatted(number) : "%03d-%04d".formatted(number, place))
                .collect(Collectors.joining());
    }

    @SpringBootConfiguration
    @EnableAutoConfiguration
    @Import({OpenSecurity.class, Endpoints.class})
    static class Application implements WebMvcConfigurer {

        /** Reads the parameters of each request. */
        @Override
        public void addInterceptors(InterceptorRegistry registry) {
            registry.addInterceptor(new LocaleChangeInterceptor());
        }
    }

    @RestController
    static class Endpoints {

        @PostMapping({"/paced/form", "/pool/form"})
        String form(HttpServletRequest request) {
            return "text=" + request.getParameter("text");
        }

        @PostMapping({"/paced/raw", "/pool/raw"})
        String raw(@RequestBody String body) {
            return body;
        }
    }
}
