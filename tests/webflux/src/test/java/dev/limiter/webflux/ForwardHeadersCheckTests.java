package dev.limiter.webflux;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Configuration;
import org.springframework.util.ClassUtils;

/** Servers that let clients forge their address are reported on startup: all but Reactor Netty. */
@Tag("http")
@ExtendWith(OutputCaptureExtension.class)
class ForwardHeadersCheckTests {

    private static final boolean TOMCAT = ClassUtils.isPresent("org.apache.catalina.connector.RequestFacade", null);

    @ParameterizedTest
    @CsvSource({"native, true", "framework, true", "none, false"})
    void trustedHeadersOfAllClientsAreReported(String strategy, boolean trusted, CapturedOutput output) {
        try (Applications applications = new Applications()) {
            applications.start(Empty.class, "", "--server.forward-headers-strategy=" + strategy);
        }
        assertThat(output.getAll().contains("a new bucket of key: ip")).isEqualTo(TOMCAT && trusted);
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Empty {}
}
