package dev.limiter.spring.integration;

import org.springframework.boot.web.embedded.jetty.JettyServletWebServerFactory;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/** Without these, responses on Jetty could differ from those on Tomcat: {@link ResponseKindTests}. */
class ResponseKindOnJettyTests extends ResponseKindTests {

    /** If nothing is flushed, Jetty commits the response before it reports the end of asynchronous work. */
    @Override
    boolean isRefundLate(String request) {
        return super.isRefundLate(request) || request.matches("(async-now|async-later|non-blocking).*");
    }

    @Configuration(proxyBeanMethods = false)
    @Import({Base.class, ResponseKindEndpoints.class})
    static class Application {

        @Bean
        JettyServletWebServerFactory jetty() {
            return new JettyServletWebServerFactory(0);
        }
    }
}
