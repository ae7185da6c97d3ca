package dev.limiter.spring.integration;

import static dev.limiter.testkit.Conditions.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.testkit.RawClient;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/**
 * Each kind of response is the same byte by byte without a limit, with a limit, and with {@code charge-if}, except for
 * the RateLimit fields. {@code charge-if} is evaluated once, for the status that the client receives.
 */
@Yml("""
        server.compression.enabled: true
        limiter.rules:
          rule: { paths: /rule/**, key: param:client, limit: 100, window: 1h }
          fail: { paths: /fail/**, key: param:client, limit: 100, window: 1h, algorithm: fixed-window,
              charge-if: "#{@seen.add(#request.getParameter('client'), #response)}" }
          early: { paths: /fail/**, phase: request, key: param:client, limit: 100, window: 1h, algorithm: fixed-window,
              charge-if: failed }
        """)
class ResponseKindTests extends WebTestSupport {

    private static final AtomicInteger CLIENTS = new AtomicInteger(1_000);

    private final String client = "client" + CLIENTS.incrementAndGet();

    @Autowired
    private ResponseKindEndpoints.Seen seen;

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    # by Spring MVC
                    GET  | large                                             | 200
                    HEAD | large                                             | 200
                    GET  | large gzip                                        | 200
                    GET  | etag                                              | 200
                    GET  | etag if-none-match                                | 304
                    GET  | etag-view?s=wabc                                  | 200
                    GET  | etag-view?s=s401,wabc                             | 401
                    GET  | forbidden                                         | 403
                    GET  | filter-failed                                     | 500
                    GET  | missing                                           | 404
                    GET  | sse                                               | 200
                    GET  | streaming-failed                                  | 200
                    GET  | streaming-failed-early                            | 500
                    GET  | deferred-timeout                                  | 503
                    GET  | callable?first=wabc&s=s401,w0123                  | 401
                    # by the servlet API
                    GET  | sync                                              | 200
                    GET  | sync?s=wabc                                       | 200
                    GET  | sync?s=pabc,c                                     | 200
                    GET  | sync?s=f                                          | 200
                    GET  | sync?s=s304                                       | 304
                    GET  | sync?s=nabc,ndef                                  | 200
                    HEAD | sync?s=l10                                        | 200
                    GET  | sync?s=l3,wabc                                    | 200
                    GET  | sync?s=wabc,l3                                    | 200
                    GET  | sync?s=l0,wabc                                    | 200
                    GET  | sync?s=s401,wabc,f,w0123                          | 401
                    GET  | sync?s=b300,b300,b300                             | 200
                    GET  | sync?s=b9000,b9000,b9000,b9000                    | 200
                    GET  | sync?s=b9000,b9000,b9000,b9000,x                  | 200
                    GET  | sync?s=u9000                                      | 200
                    GET  | sync?s=b7000,s401                                 | 401
                    GET  | sync?s=wabc,x                                     | 500
                    GET  | sync?s=wabc,f,x                                   | 200
                    GET  | sync?s=h                                          | 418
                    GET  | sync?s=e404                                       | 404
                    GET  | sync?s=wabc,e404                                  | 404
                    GET  | sync?s=m/elsewhere                                | 302
                    GET  | sync?s=wabc,m/elsewhere                           | 302
                    GET  | sync?s=wabc,s302                                  | 302
                    GET  | sync?s=s302,wabc,s200                             | 200
                    GET  | sync?s=pabc,r,s401,p0123                          | 401
                    GET  | sync?s=s401,pabc,r,w0123                          | 200
                    GET  | sync?s=pabc,o,s401                                | 401
                    # dispatches
                    GET  | view?s=wabc                                       | 200
                    GET  | view?first=pabc&s=p0123                           | 200
                    GET  | forward?s=m/elsewhere                             | 302
                    GET  | forward?first=wabc&s=s401,w0123&last=wmore        | 401
                    GET  | forward?first=wabc&s=h                            | 418
                    GET  | forward?s=x                                       | 500
                    GET  | named                                             | 200
                    GET  | include?s=wabc,e404&last=wdef                     | 200
                    GET  | include?s=m/elsewhere&last=wdef                   | 200
                    GET  | include?s=s401,l1,wabc                            | 200
                    GET  | include?s=wabc&last=m/elsewhere                   | 302
                    # asynchronous work that the handler starts
                    GET  | async-now?s=s401,wabc                             | 401
                    GET  | non-blocking                                      | 200
                    GET  | async-later?first=&s=wabc                         | 200
                    GET  | async-later?first=wabc&s=s401,w0123               | 401
                    GET  | async-later?first=wabc&s=s401,f                   | 401
                    GET  | async-later?first=wabc&s=f,s401                   | 200
                    GET  | async-later?first=&s=m/elsewhere                  | 302
                    GET  | async-dispatch?first=wabc&s=w0123                 | 200
                    GET  | async-dispatch?first=wabc&s=h                     | 418
                    GET  | async-dispatch?first=wabc&s=x                     | 500
                    GET  | async-timeout?first=wabc                          | 500
                    GET  | async-throw                                       | 500
                    # a filter around all filters of Limiter keeps the body to itself
                    GET  | kept/sync?s=wabc                                  | 200
                    GET  | kept/sync?s=e404                                  | 404
                    GET  | kept/async-later?first=pabc&s=                    | 200
                    GET  | kept/async-dispatch?first=&s=wabc                 | 200
                    GET  | kept/callable?first=wabc&s=s401,w0123             | 401
                    """)
    void responseIsTheSameWithALimit(String method, String request, int status) throws Exception {
        RawClient.Answer free = ask(method, "free", request);
        RawClient.Answer limited = ask(method, "rule", request);
        RawClient.Answer charged = ask(method, "fail", request);

        assertThat(free.status()).isEqualTo(status);
        assertThat(fieldsOfLimits(free)).isEmpty();
        for (RawClient.Answer answer : List.of(limited, charged)) {
            assertThat(fieldsOfLimits(answer)).hasSize(status / 100 == 3 ? 0 : 2);
            assertThat(answer.status()).isEqualTo(status);
            assertThat(otherFields(answer, request)).isEqualTo(otherFields(free, request));
            assertThat(body(answer)).isEqualTo(body(free));
        }
        if (status / 100 != 3 && !isRefundLate(request)) {
            assertThat(charged.field("RateLimit")).contains("\"fail\";r=" + (status < 400 ? 100 : 99));
        }
        await(() -> !seen.of(client).isEmpty());
        assertThat(seen.of(client)).isEqualTo(List.of(status));
        assertThat(remaining("rule")).isEqualTo(99);
        for (String rule : List.of("fail", "early")) {
            await(() -> remaining(rule) == (status < 400 ? 100 : 99));
        }
    }

    private RawClient.Answer ask(String method, String area, String request) throws IOException {
        String[] words = request.split(" ");
        String[] fields = words.length == 1
                ? new String[0]
                : words[1].equals("gzip")
                        ? new String[] {"Accept-Encoding: gzip"}
                        : new String[] {"If-None-Match: " + ResponseKindEndpoints.ETAG};
        String path = "/" + area + "/" + words[0];
        return new RawClient(port()).send(method, path + (path.contains("?") ? "&" : "?") + "client=" + client, fields);
    }

    private static List<String> fieldsOfLimits(RawClient.Answer answer) {
        return answer.fields().stream()
                .filter(field -> field.startsWith("RateLimit"))
                .toList();
    }

    private List<String> otherFields(RawClient.Answer answer, String request) {
        return answer.fields().stream()
                .filter(field -> !field.matches("(RateLimit|Date:|Set-Cookie:).*"))
                .map(field -> field.toLowerCase(Locale.ROOT))
                .filter(field -> keepsFraming(request) || !field.matches("(content-length|transfer-encoding):.*"))
                .sorted()
                .toList();
    }

    /** Returns whether the fields are written before the refund: asynchronous work bypasses that filter. */
    boolean isRefundLate(String request) {
        return request.startsWith("kept/async");
    }

    /** Returns whether the container frames the body in the same way if a filter wraps the response. */
    boolean keepsFraming(String request) {
        return true;
    }

    /** Error pages contain the time and the path. */
    String body(RawClient.Answer answer) {
        return answer.body().replaceAll("\"timestamp\":\"[^\"]*\"", "").replaceAll("\"/(free|rule|fail)/", "");
    }

    private long remaining(String rule) {
        return remaining(rule, "param:client=" + client.length() + ":" + client);
    }

    @Configuration(proxyBeanMethods = false)
    @Import({Base.class, ResponseKindEndpoints.class})
    static class Application {}
}
