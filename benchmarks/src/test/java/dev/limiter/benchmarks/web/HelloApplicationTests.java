package dev.limiter.benchmarks.web;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Each variant limits. */
@Tag("long")
class HelloApplicationTests {

    private static final int REQUESTS = 20;

    private final HttpClient client = HttpClient.newHttpClient();

    @ParameterizedTest
    @EnumSource(
            mode = EnumSource.Mode.MATCH_NONE,
            names = {".*_AGAIN", "GATEWAY.*"})
    void permitsAllRequestsWithoutTheProfileRejects(Variant variant) throws Exception {
        try (var context = HelloApplication.start(variant, false)) {
            for (int i = 0; i < REQUESTS; i++) {
                HttpResponse<String> response = get(context.getWebServer().getPort());
                assertThat(response.statusCode()).isEqualTo(200);
                assertThat(response.body()).isEqualTo("hello");
                assertThat(response.headers().firstValue("RateLimit").isPresent())
                        .isEqualTo(variant.name().contains("LIMITER_IETF"));
            }
        }
    }

    @ParameterizedTest
    @EnumSource(
            mode = EnumSource.Mode.MATCH_NONE,
            names = {"NONE", "WEBFLUX", ".*_AGAIN", "GATEWAY.*"})
    void rejectsWithTheProfileRejects(Variant variant) throws Exception {
        try (var context = HelloApplication.start(variant, true)) {
            int permitted = 0;
            for (int i = 0; i < REQUESTS; i++) {
                permitted += get(context.getWebServer().getPort()).statusCode() == 200 ? 1 : 0;
            }
            // Sentinel counts per second, and the requests may take longer
            assertThat(permitted).isBetween(1, variant == Variant.SENTINEL ? REQUESTS - 1 : 1);
        }
    }

    private HttpResponse<String> get(int port) throws Exception {
        URI uri = URI.create("http://127.0.0.1:" + port + "/hello");
        return client.send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString());
    }
}
