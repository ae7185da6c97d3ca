package dev.limiter.spring.integration;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.servlet.http.HttpServletResponse;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.stereotype.Controller;
import org.springframework.test.context.TestPropertySource;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.ResponseBody;
import org.springframework.web.filter.ShallowEtagHeaderFilter;

/** A filter of the application holds the answer of a forwarded request until after the forward. */
@TestPropertySource(
        properties = {
            "limiter.rules.all.paths=/**",
            "limiter.rules.all.limit=3",
            "limiter.rules.all.window=1h",
            "limiter.rules.all.key=header:X-Client",
            "limiter.rules.all.charge-if=failed",
        })
class ForwardBehindWrapperTests extends WebTestSupport {

    @Test
    void answerArrives() throws Exception {
        HttpResponse<String> answer = get("/forwarding", "X-Client", "one");

        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.body()).isEqualTo("hello");
        assertThat(answer.headers().firstValue("ETag")).isPresent();
    }

    @Test
    void failureIsChargedAndSuccessIsNot() throws Exception {
        for (int i = 0; i < 5; i++) {
            assertThat(get("/forwarding", "X-Client", "two").body()).isEqualTo("hello");
        }
        for (int i = 0; i < 3; i++) {
            HttpResponse<String> answer = get("/forwarding-failure", "X-Client", "two");
            assertThat(answer.statusCode()).isEqualTo(401);
            assertThat(answer.body()).isEqualTo("no");
        }

        assertThat(get("/forwarding", "X-Client", "two").statusCode()).isEqualTo(429);
    }

    @Configuration(proxyBeanMethods = false)
    @Import({WebTestSupport.Base.class, Endpoints.class})
    static class Application {

        @Bean
        ShallowEtagHeaderFilter etags() {
            return new ShallowEtagHeaderFilter();
        }
    }

    @Controller
    static class Endpoints {

        @GetMapping("/forwarding")
        String forwarding() {
            return "forward:/forwarded";
        }

        @GetMapping("/forwarded")
        @ResponseBody
        String forwarded() {
            return "hello";
        }

        @GetMapping("/forwarding-failure")
        String forwardingFailure() {
            return "forward:/failure";
        }

        @GetMapping("/failure")
        @ResponseBody
        String failure(HttpServletResponse response) {
            response.setStatus(401);
            return "no";
        }
    }
}
