package dev.limiter.sample;

import static dev.limiter.test.LimiterMockMvc.applicationFilters;
import static dev.limiter.test.SpringLimiterAssertions.assertThatAnswer;

import dev.limiter.test.TestResponse;
import dev.limiter.test.WithVirtualTime;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.test.web.servlet.client.EntityExchangeResult;
import org.springframework.test.web.servlet.client.RestTestClient;
import org.springframework.test.web.servlet.setup.MockMvcBuilders;
import org.springframework.web.context.WebApplicationContext;

/** The example of the manual for clients that limiter-test has no assertions for. */
@SpringBootTest
@WithVirtualTime
class TestClientLimitTests {

    @Autowired
    private WebApplicationContext application;

    @Test
    void rejects101stOrder() {
        RestTestClient client = RestTestClient.bindTo(MockMvcBuilders.webAppContextSetup(application)
                        .apply(applicationFilters())
                        .build())
                .build();
        for (int i = 0; i < 100; i++) {
            client.post().uri("/orders").exchange().expectStatus().isOk();
        }

        EntityExchangeResult<String> result =
                client.post().uri("/orders").exchange().returnResult(String.class);
        TestResponse response = TestResponse.of(
                result.getStatus().value(),
                name -> result.getResponseHeaders().getOrEmpty(name),
                result::getResponseBody);
        assertThatAnswer(response).isRejected().hasProblemType("quota-exceeded");
    }
}
