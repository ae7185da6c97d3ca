package dev.limiter.compatibility;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.spring.annotation.RateLimiter;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** An annotation on a controller applies to all its endpoints, whatever the visibility of their methods. */
@Tag("each-line")
class HandlerVisibilityTests {

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void endpointIsLimited(boolean auto) {
        try (ConfigurableApplicationContext application =
                Applications.start(Application.class, "spring.aop.auto=" + auto)) {
            Operator clients = Operator.of(application);
            assertThat(List.of("/public", "/package-private", "/protected", "/inherited", "/contracted"))
                    .allSatisfy(path -> assertThat(clients.statuses(3, path)).containsExactly(200, 200, 429));
        }
    }

    static class Base {

        @GetMapping("/inherited")
        String inherited() {
            return "served";
        }
    }

    @RestController
    @RateLimiter(limit = 2, window = "1h")
    static class Controller extends Base {

        @GetMapping("/public")
        public String ofPublic() {
            return helper();
        }

        @GetMapping("/package-private")
        String ofPackage() {
            return helper();
        }

        @GetMapping("/protected")
        protected String ofProtected() {
            return helper();
        }

        String helper() {
            return "served";
        }
    }

    interface Contract {

        String contracted();
    }

    @RestController
    static class ContractedController implements Contract {

        @Override
        @RateLimiter(limit = 2, window = "1h")
        @GetMapping("/contracted")
        public String contracted() {
            return "served";
        }
    }

    @SpringBootConfiguration
    @EnableAutoConfiguration
    @Import({Controller.class, ContractedController.class, OpenSecurity.class})
    static class Application {}
}
