package dev.limiter.spring.integration;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.test.context.TestPropertySource;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.servlet.config.annotation.PathMatchConfigurer;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;
import org.springframework.web.util.pattern.PathPatternParser;

/** Where Spring MVC overlooks case, so do rules: another spelling is another way to the same endpoint. */
@TestPropertySource(
        properties = {
            "limiter.rules.literal.paths=/ITEMS/special",
            "limiter.rules.literal.limit=1",
            "limiter.rules.literal.window=1h",
            "limiter.rules.pattern.paths=/Orders/**",
            "limiter.rules.pattern.limit=1",
            "limiter.rules.pattern.window=1h",
            "limiter.web.exclude=/Orders/FREE",
        })
class CaseInsensitiveTests extends WebTestSupport {

    @Test
    void literalSegmentUnderAVariableMatchesInAnyCase() throws Exception {
        assertThat(get("/items/special").statusCode()).isEqualTo(200);
        assertThat(get("/Items/SPECIAL").statusCode()).isEqualTo(429);
        assertThat(get("/items/other").statusCode()).isEqualTo(200);
    }

    @Test
    void patternOfARuleCoversTheEndpointInAnyCase() throws Exception {
        assertThat(get("/orders/1").statusCode()).isEqualTo(200);
        assertThat(get("/ORDERS/2").statusCode()).isEqualTo(429);
        assertThat(get("/orders/free").statusCode()).isEqualTo(200);
    }

    @Configuration(proxyBeanMethods = false)
    @Import({Base.class, Controller.class})
    static class Application {

        @Bean
        WebMvcConfigurer overlookingCase() {
            return new WebMvcConfigurer() {
                @Override
                public void configurePathMatch(PathMatchConfigurer configurer) {
                    PathPatternParser parser = new PathPatternParser();
                    parser.setCaseSensitive(false);
                    configurer.setPatternParser(parser);
                }
            };
        }
    }

    @RestController
    static class Controller {

        @GetMapping({"/items/{id}", "/orders/{id}"})
        String item(@PathVariable String id) {
            return id;
        }
    }
}
