package dev.limiter.spring.integration;

import static dev.limiter.testkit.Conditions.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.RateLimiters;
import dev.limiter.Rule;
import dev.limiter.spring.compiled.Rules;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.test.context.TestPropertySource;

/** Clients get the answers that they would get without charge-if, which is asked once, about exactly these. */
@TestPropertySource(
        properties = {
            "limiter.rules.endpoint.paths=/script/**",
            "limiter.rules.endpoint.key=param:client",
            "limiter.rules.endpoint.limit=100",
            "limiter.rules.endpoint.window=1h",
            "limiter.rules.endpoint.algorithm=fixed-window",
            "limiter.rules.endpoint.charge-if=#{@seen.add(#request.getParameter('client'), #response)}",
            "limiter.rules.early.paths=/script/**",
            "limiter.rules.early.phase=request",
            "limiter.rules.early.key=param:client",
            "limiter.rules.early.limit=100",
            "limiter.rules.early.window=1h",
            "limiter.rules.early.algorithm=fixed-window",
            "limiter.rules.early.skip-if=#{#request.getParameter('before') != null}",
            "limiter.rules.early.charge-if=failed",
        })
class AnswerScriptTests extends WebTestSupport {

    private static final AtomicInteger CLIENTS = new AtomicInteger();

    private final String client = "client" + CLIENTS.incrementAndGet();

    @Autowired
    private RateLimiters limiters;

    @Autowired
    private Rules rules;

    @Autowired
    private ScriptedEndpoints.Seen seen;

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    # what was reset is forgotten, what comes after that is not
                    sync?s=wabc,r,w0123456789                       | 200 | 0123456789
                    sync?s=pabc,r,p0123456789                       | 200 | 0123456789
                    sync?s=pabc,r,s401,p0123456789                  | 401 | 0123456789
                    sync?s=pabc,r,w0123456789                       | 200 | 0123456789
                    # a forward discards what was written before it, and its answer is complete
                    view?s=wabcde                                   | 200 | abcde
                    view?first=pabc&s=p0123456                      | 200 | 0123456
                    forward?first=wabcde&s=w0123456                 | 200 | 0123456
                    forward?first=wabcde&s=s401,w0123456&last=wmore | 401 | 0123456
                    forward?first=wabcde&s=h                        | 418 | handled
                    # asynchronous work may say another status, or fail, as long as nothing is sent
                    async-later?first=wabc&s=s401,w0123             | 401 | abc0123
                    async-later?first=wabc&s=s401,f                 | 401 | abc
                    async-later?first=wabc&s=                       | 200 | abc
                    held/async-later?first=wabc&s=                  | 200 | abc
                    held/async-later?first=pabc&s=                  | 200 | abc
                    # what Spring MVC makes asynchronous is held by a filter until its last dispatch
                    held/callable?first=wabc&s=w0123                | 200 | abc0123
                    held/callable?first=wabc&s=s401,w0123           | 401 | abc0123
                    async-dispatch?first=wabcde&s=w0123             | 200 | abcde0123
                    async-dispatch?first=wabcde&s=h                 | 418 | handled
                    async-dispatch?first=wabcde&s=x                 | 500 |
                    async-timeout?first=wabcde                      | 500 |
                    async-throw?                                    | 500 |
                    # what is included cannot answer
                    include?s=e404                                  | 200 | ''
                    include?s=wabc,e404&last=wdef                   | 200 | abcdef
                    include?s=m/elsewhere&last=wdef                 | 200 | def
                    include?s=s401,wabc                             | 200 | abc
                    """)
    void answerIsSeenAsItIsSent(String request, int status, String body) throws Exception {
        if (body == null) {
            assertThat(statusOf(request)).isEqualTo(status);
        } else {
            HttpResponse<String> answer = ask(request);
            assertThat(answer.statusCode()).isEqualTo(status);
            assertThat(answer.body()).isEqualTo(body);
        }
        assertSeen(status);
    }

    /** On Jetty, such a request comes to no endpoint. */
    @Test
    void statusThatWasSentBeforeAnyChargeStays() throws Exception {
        try {
            assertThat(ask("emitter?before=f").statusCode()).isEqualTo(200);
        } catch (UncheckedIOException cutOff) {
            // its failure is told by the end of the connection
        }
        await(() -> remaining("endpoint") == 100);
        assertThat(seen.of(client)).allMatch(status -> status == 200);
    }

    /** Containers differ in the answers. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "sync?s=m/elsewhere,x",
                "sync?s=m/elsewhere,h",
                "sync?s=m/elsewhere,f,x",
                "sync?s=m/elsewhere",
                "forward?s=wabc&last=x",
                "forward?s=wabc&last=h",
                "forward?s=m/elsewhere&last=x",
                "include?s=f,x",
                "include?s=wabc,f,x",
                "async-later?s=m/elsewhere",
                "forward?s=pabc&last=x",
                "sync?s=l7,wabcdefg,x",
                "sync?s=l7,wabcdefg,f,x",
                "sync?s=l7,wabcdefg,s401",
                "sync?s=l7,wabcdefg,e404",
                "sync?s=wabcdefg,l7,x",
                "sync?s=wabcdefg,l5,e404",
                "sync?s=l5,wabcdefg",
                "sync?s=l0,wabcdefg,s401",
                "sync?s=e204",
                "sync?s=e205",
                "sync?s=e206",
                "sync?s=e299",
                "sync?s=e302",
                "sync?s=e304",
                "sync?s=e304,x",
                "sync?s=e204,x",
                "forward?s=l5,wabcde&last=x",
            })
    void answerIsSeenAsItIsSent(String request) throws Exception {
        assertSeen(statusOf(request));
    }

    /** The thread of the request and that of the work may come in any order, and on Undertow one of them fails. */
    @Test
    void resetOfAnotherThreadForgetsAll() throws Exception {
        for (int i = 0; i < 50; i++) {
            HttpResponse<String> answer = ask("async?s=wabc,r,w0123456789");
            if (answer.statusCode() != 500 || !failsWhenAskedAfterTheEnd()) {
                assertThat(answer.body()).isEqualTo("0123456789");
            }
        }
    }

    /** Filters write fields when a request leaves them, and the thread of its asynchronous work writes its own. */
    @Test
    void fieldsOfFiltersAndOfAsynchronousWorkAreWrittenInTurn() throws Exception {
        for (int i = 0; i < 50; i++) {
            HttpResponse<String> answer = ask("async-fields?");
            assertThat(answer.statusCode()).isEqualTo(200);
            assertThat(answer.headers().map().keySet())
                    .filteredOn(name -> name.matches("[fw][0-9]+"))
                    .hasSize(2 * ScriptedEndpoints.FIELDS);
        }
    }

    /** A filter of Spring's own may ask the container for asynchronous work that has just ended. */
    boolean failsWhenAskedAfterTheEnd() {
        return false;
    }

    /** Undertow makes a page of the error nevertheless. */
    @Test
    void answerAsLongAsItsContentLengthIsComplete() throws Exception {
        HttpResponse<String> answer = ask("sync?s=wabcdefg,l7,e404");

        if (answer.statusCode() == 200) {
            assertThat(answer.body()).isEqualTo("abcdefg");
        }
        assertSeen(answer.statusCode());
    }

    /** Some containers answer with 500, some cut the answer off. */
    @Test
    void answerShorterThanItsContentLengthHasFailed() throws Exception {
        assertThat(statusOf("sync?s=l10,wabcde")).isIn(200, 500);
        assertSeen(500);
    }

    @Test
    void answerToHeadHasNoBody() throws Exception {
        assertThat(send("HEAD", "/script/sync?s=l10&client=" + client).statusCode())
                .isEqualTo(200);
        assertSeen(200);
    }

    @Test
    void handlerThatIsCalledAgainForTheSameRequestIsChargedOnce() throws Exception {
        HttpResponse<String> answer = get("/again");

        assertThat(answer.body()).isEqualTo("again");
        assertThat(field(answer, "RateLimit")).contains("r=9");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "view?s=wabc",
                "view?s=pabc",
                "sync?s=l3,wabc",
                "include?s=wabc&last=wdef",
                "async-later?first=wabc&s=",
                "async-later?first=&s=wabc,r,wdef",
                "async-later?first=wabc&s=r,wdef",
            })
    void fieldsSayWhatWasGivenBack(String request) throws Exception {
        assertThat(field(ask(request), "RateLimit")).contains("\"endpoint\";r=100");
    }

    /** As the container would write it. */
    @Test
    void linesEndAsWithoutChargeIf() throws Exception {
        assertThat(ask("sync?s=nabc,ndef").body())
                .isEqualTo(get("/plain/sync?s=nabc,ndef").body());
    }

    @Test
    void bodyOfNoLengthIsNotSent() throws Exception {
        HttpResponse<String> answer = ask("sync?s=l0,wabcde");

        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.body()).isEmpty();
        assertSeen(200);
    }

    /** The body may be cut off. */
    private int statusOf(String request) throws IOException, InterruptedException {
        return statusOf("GET", "/script/" + request + (request.endsWith("?") ? "" : "&") + "client=" + client);
    }

    private HttpResponse<String> ask(String request) throws IOException, InterruptedException {
        return get("/script/" + request + (request.endsWith("?") ? "" : "&") + "client=" + client);
    }

    private void assertSeen(int status) {
        await(() -> !seen.of(client).isEmpty());
        assertThat(seen.of(client)).isEqualTo(List.of(status));
        for (String rule : List.of("endpoint", "early")) {
            await(() -> remaining(rule) == (status < 400 ? 100 : 99) || rule.equals("early") && remaining(rule) == 100);
        }
    }

    private long remaining(String rule) {
        Rule asked = rules.current().find(rule).orElseThrow().rule();
        return limiters.peek(asked, "param:client=" + client.length() + ":" + client)
                .remaining();
    }

    @Configuration(proxyBeanMethods = false)
    @Import({Base.class, ScriptedEndpoints.class})
    static class Application {}
}
