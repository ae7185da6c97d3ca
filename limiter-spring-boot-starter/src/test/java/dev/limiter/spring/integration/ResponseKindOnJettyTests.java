package dev.limiter.spring.integration;

import org.springframework.boot.web.embedded.jetty.JettyServletWebServerFactory;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

class ResponseKindOnJettyTests extends ResponseKindTests {

    @Configuration(proxyBeanMethods = false)
    @Import({Base.class, ResponseKindEndpoints.class})
    static class Application {

        @Bean
        JettyServletWebServerFactory jetty() {
            return new JettyServletWebServerFactory(0);
        }
    }
}
