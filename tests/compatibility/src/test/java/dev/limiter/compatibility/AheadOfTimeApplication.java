package dev.limiter.compatibility;

import dev.limiter.spring.annotation.RateLimiter;
import dev.limiter.spring.context.RequestView;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;

/** Contains an example of everything that is found by reflection or needs proxies. */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
@Import({
    OpenSecurity.class,
    AheadOfTimeApplication.Endpoints.class,
    AheadOfTimeApplication.Carts.class,
    AheadOfTimeApplication.Plans.class
})
public class AheadOfTimeApplication {

    public static void main(String... arguments) {
        SpringApplication.run(AheadOfTimeApplication.class, arguments);
    }

    @RestController
    public static class Endpoints {

        private final Orders orders;

        Endpoints(Orders orders) {
            this.orders = orders;
        }

        @GetMapping("/automatic")
        String automatic() {
            return "automatic";
        }

        @GetMapping("/catalog")
        String catalog() {
            return "catalog";
        }

        @GetMapping("/orders/{customer}")
        String order(@PathVariable String customer) {
            return orders.order(new Cart(customer, 2));
        }
    }

    public record Cart(String customer, int items) {}

    interface Orders {

        @RateLimiter(limit = 3, window = "1h", key = "#cart.customer", cost = "#cart.items()", fallback = "later")
        String order(Cart cart);
    }

    static class Carts implements Orders {

        @Override
        public String order(Cart cart) {
            return "ordered";
        }

        String later(Cart cart) {
            return "later for " + cart.customer();
        }
    }

    static class Plans {

        public String of(RequestView request) {
            return request.getHeader("X-Plan");
        }
    }
}
