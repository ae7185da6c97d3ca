package dev.limiter.spring.integration;

import org.springframework.boot.web.embedded.undertow.UndertowServletWebServerFactory;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

class AnswerScriptOnUndertowTests extends AnswerScriptTests {

    @Override
    boolean failsWhenAskedAfterTheEnd() {
        return true;
    }

    @Configuration(proxyBeanMethods = false)
    @Import({Base.class, ScriptedEndpoints.class})
    static class Application {

        @Bean
        UndertowServletWebServerFactory undertow() {
            return new UndertowServletWebServerFactory(0);
        }
    }
}
