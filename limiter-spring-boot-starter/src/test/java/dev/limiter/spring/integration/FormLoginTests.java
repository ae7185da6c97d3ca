package dev.limiter.spring.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.test.VirtualTimeSource;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configurers.AbstractHttpConfigurer;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;

/** Spring Security redirects after every login, successful or not. */
@Yml("""
        limiter.rules:
          login: { paths: /login, methods: POST, phase: request, key: ip, limit: 2, window: 1h,
              charge-if: "#{#response.getHeader('Location') != null && #response.getHeader('Location').contains('error')}" }
        """)
class FormLoginTests extends WebTestSupport {

    @Test
    void wrongPasswordsAreCharged() throws Exception {
        for (int i = 0; i < 3; i++) {
            assertThat(login("right").statusCode()).isEqualTo(302);
        }
        for (int i = 0; i < 2; i++) {
            HttpResponse<String> rejected = login("wrong");
            assertThat(rejected.statusCode()).isEqualTo(302);
            assertThat(field(rejected, "Location")).endsWith("/login?error");
        }
        assertThat(login("wrong").statusCode()).isEqualTo(429);
        assertThat(login("right").statusCode()).isEqualTo(429);
    }

    private HttpResponse<String> login(String password) throws Exception {
        return sendBody(
                "POST",
                "/login",
                "username=anna&password=" + password,
                "Content-Type",
                "application/x-www-form-urlencoded");
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {

        @Bean
        VirtualTimeSource time() {
            return new VirtualTimeSource();
        }

        @Bean
        InMemoryUserDetailsManager users() {
            return new InMemoryUserDetailsManager(User.withUsername("anna")
                    .password("{noop}right")
                    .roles("USER")
                    .build());
        }

        @Bean
        SecurityFilterChain secured(HttpSecurity http) throws Exception {
            return http.csrf(AbstractHttpConfigurer::disable)
                    .authorizeHttpRequests(requests -> requests.anyRequest().authenticated())
                    .formLogin(Customizer.withDefaults())
                    .build();
        }
    }
}
