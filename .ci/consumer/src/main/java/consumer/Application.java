package consumer;

import dev.limiter.spring.annotation.RateLimiter;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

@SpringBootApplication
@RestController
public class Application {

    public static void main(String[] args) {
        SpringApplication.run(Application.class, args);
    }

    @RateLimiter(limit = 2, window = "1m")
    @GetMapping("/hello")
    public String hello() {
        return "Hello";
    }
}
