package dev.limiter.compatibility;

import dev.limiter.spring.annotation.RateLimiter;
import java.util.Map;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.EnableAspectJAutoProxy;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.servlet.HandlerMapping;
import org.springframework.web.servlet.config.annotation.EnableWebMvc;
import org.springframework.web.servlet.handler.SimpleUrlHandlerMapping;

/** The context of a second servlet, as a child of the application context. */
@Configuration(proxyBeanMethods = false)
@EnableWebMvc
@EnableAspectJAutoProxy(proxyTargetClass = true)
class SecondServlet {

    @Bean
    HandlerMapping ownOfSecond() {
        return new SimpleUrlHandlerMapping(Map.of("/own", WaysToHandlers.answering("own")), 0);
    }

    @RestController
    static class Hello {

        @RateLimiter(limit = 1, window = "1h")
        @GetMapping("/annotated")
        String annotated() {
            return "annotated";
        }

        @GetMapping("/hello")
        String hello() {
            return "hello";
        }
    }
}
