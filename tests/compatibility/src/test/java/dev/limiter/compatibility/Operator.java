package dev.limiter.compatibility;

import static org.assertj.core.api.Assertions.assertThat;

import com.jayway.jsonpath.JsonPath;
import dev.limiter.testkit.Clients;
import dev.limiter.testkit.Conditions;
import java.net.http.HttpResponse;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * Uses the endpoint {@code limiter} of an application, and sends requests to the application. In JSON, ' stands for ".
 * Paths of the endpoint begin with the name of a rule.
 */
record Operator(Clients clients) {

    private static final String ENDPOINT = "/actuator/limiter";

    static Operator of(ConfigurableApplicationContext application) {
        return new Operator(Applications.clientsOf(application));
    }

    /** Starts an application with unrestricted access to the endpoint. */
    static ConfigurableApplicationContext start(Class<?> application, String[] rules, String... more) {
        String[] access = {
            "management.endpoints.web.exposure.include=*",
            "management.endpoint.limiter.access=unrestricted",
            "management.endpoint.health.show-details=always"
        };
        return Applications.start(
                application,
                Stream.of(access, rules, more).flatMap(Arrays::stream).toArray(String[]::new));
    }

    private static String at(String path) {
        return path.isEmpty() ? ENDPOINT : ENDPOINT + "/" + path;
    }

    String all() {
        return clients.get(ENDPOINT).body();
    }

    long version() {
        return JsonPath.<Integer>read(all(), "$.version");
    }

    String rule(String path) {
        return clients.get(at(path)).body();
    }

    <T> T read(String path, String jsonPath) {
        return JsonPath.read(rule(path), jsonPath);
    }

    void awaitRule(String path, String part) {
        Conditions.await(() -> rule(path).contains(part));
    }

    int status(String path) {
        return clients.get(at(path)).statusCode();
    }

    HttpResponse<String> post(String path, String json, String... headers) {
        return clients.post(at(path), json.replace('\'', '"'), headers);
    }

    HttpResponse<String> delete(String path) {
        return clients.send("DELETE", at(path));
    }

    /** Returns the body of a response, which must be successful. */
    String change(String path, String json) {
        return body(200, post(path, json));
    }

    /** Returns the body of a response, which must be successful. */
    String revert(String path) {
        return body(200, delete(path));
    }

    static String body(int status, HttpResponse<String> answer) {
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(status);
        return answer.body();
    }

    double meter(String query) {
        return JsonPath.<Double>read(clients.get("/actuator/metrics/" + query).body(), "$.measurements[0].value");
    }

    List<Integer> statuses(int requests, String path, String... headers) {
        return IntStream.range(0, requests)
                .mapToObj(i -> clients.get(path, headers).statusCode())
                .toList();
    }

    /** Returns how many of 30 requests with the key are permitted. */
    int permitted(String path, String key) {
        return (int) statuses(30, path, "X-Api-Key", key).stream()
                .filter(status -> status == 200)
                .count();
    }
}
