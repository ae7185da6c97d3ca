package dev.limiter.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.testkit.Conditions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.openqa.selenium.Keys;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configuration.EnableWebSecurity;
import org.springframework.security.config.annotation.web.configurers.CsrfConfigurer;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.security.web.csrf.CookieCsrfTokenRepository;

/** Changes in a browser, with each way in which Spring Security takes its token. Skipped where there is no Chromium. */
@Tag("long")
class CsrfBrowserTests {

    @ParameterizedTest
    @ValueSource(strings = {"session", "cookie", "spa"})
    void changesALimitAndRevertsIt(String tokens) {
        try (Browser browser = new Browser();
                Dashboards sample = Dashboards.start(0, Protected.class, "--tokens=" + tokens)) {
            browser.open(sample.page());
            browser.awaitText("#status", "Live");
            browser.fill("Search", "catalog");
            Conditions.await(() -> browser.holds("document.querySelectorAll('article').length === 1"));
            browser.push("Look closer, or change it");
            Conditions.await(() -> browser.has("article form"));
            browser.fill("Limit", "7");
            browser.press(Keys.ENTER);
            browser.awaitText("article ul", "7 per 1h");
            browser.push("As configured again");
            browser.awaitText("article ul", "10 per 1h");
            assertThat(browser.errors()).isEmpty();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableWebSecurity
    static class Protected {

        @Bean
        SecurityFilterChain everybody(HttpSecurity http, Environment environment) {
            return http.csrf(csrf -> protect(csrf, environment.getRequiredProperty("tokens")))
                    .authorizeHttpRequests(requests -> requests.anyRequest().permitAll())
                    .build();
        }

        private static void protect(CsrfConfigurer<HttpSecurity> csrf, String tokens) {
            switch (tokens) {
                case "cookie" -> csrf.csrfTokenRepository(CookieCsrfTokenRepository.withHttpOnlyFalse());
                case "spa" -> csrf.spa();
                default -> {}
            }
        }
    }
}
