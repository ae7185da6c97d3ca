package consumer;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;

/** An application with the starter on its class path, and nothing else done, gets its first 429. */
@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT)
class FirstRejectionTests {

    @Value("${local.server.port}")
    private int port;

    private HttpResponse<String> hello() throws IOException, InterruptedException {
        URI uri = URI.create("http://localhost:" + port + "/hello");
        return HttpClient.newHttpClient()
                .send(HttpRequest.newBuilder(uri).build(), BodyHandlers.ofString());
    }

    @Test
    void theThirdRequestIsRejected() throws Exception {
        assertThat(hello().statusCode()).isEqualTo(200);
        assertThat(hello().statusCode()).isEqualTo(200);
        HttpResponse<String> rejected = hello();
        assertThat(rejected.statusCode()).isEqualTo(429);
        assertThat(rejected.headers().firstValue("Retry-After")).isPresent();
        assertThat(rejected.body()).contains("quota-exceeded");
    }
}
