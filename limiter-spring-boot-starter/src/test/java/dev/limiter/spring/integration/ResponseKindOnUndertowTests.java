package dev.limiter.spring.integration;

import dev.limiter.testkit.RawClient;
import org.springframework.boot.web.embedded.undertow.UndertowServletWebServerFactory;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/** Without these, responses on Undertow could differ from those on Tomcat: {@link ResponseKindTests}. */
class ResponseKindOnUndertowTests extends ResponseKindTests {

    /** Includes a forward, which Undertow sends chunked. */
    @Override
    boolean keepsFraming(String request) {
        return !request.startsWith("forward") && !request.startsWith("view") && !request.startsWith("named");
    }

    @Override
    String body(RawClient.Answer answer) {
        String body = super.body(answer);
        return answer.field("Transfer-Encoding").isEmpty() ? body : unchunked(body);
    }

    private static String unchunked(String body) {
        StringBuilder all = new StringBuilder();
        int from = 0;
        for (int end = body.indexOf("\r\n"); end > from; end = body.indexOf("\r\n", from)) {
            int size = Integer.parseInt(body.substring(from, end), 16);
            all.append(body, end + 2, end + 2 + size);
            from = end + 2 + size + 2;
        }
        return all.toString();
    }

    @Configuration(proxyBeanMethods = false)
    @Import({Base.class, ResponseKindEndpoints.class})
    static class Application {

        @Bean
        UndertowServletWebServerFactory undertow() {
            return new UndertowServletWebServerFactory(0);
        }
    }
}
