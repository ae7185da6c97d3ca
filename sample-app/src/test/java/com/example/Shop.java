package com.example;

import dev.limiter.spring.annotation.RateLimiter;
import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import java.security.Principal;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/** The application in guides that do not use the sample. */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
@Import({Orders.class, Reports.class})
public class Shop {

    /** Makes alice the user of all requests. */
    @Bean
    Filter alice() {
        return (request, response, chain) -> chain.doFilter(
                new HttpServletRequestWrapper((HttpServletRequest) request) {
                    @Override
                    public Principal getUserPrincipal() {
                        return () -> "alice";
                    }
                },
                response);
    }
}

@RestController
class Orders {

    @GetMapping("/api/orders/{id}")
    String order(@PathVariable("id") long id) {
        return "order " + id;
    }

    @PostMapping("/login")
    String login() {
        return "welcome";
    }
}

@RestController
@ConditionalOnProperty("shop.reports")
class Reports {

    @RateLimiter(name = "reports", limit = 10, window = "1h")
    @GetMapping("/reports/monday")
    String monday() {
        return "monday";
    }
}
