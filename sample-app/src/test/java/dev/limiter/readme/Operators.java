package dev.limiter.readme;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configuration.EnableWebSecurity;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;

/** The access to Actuator that the guide for on-call duty shows. Alice is an operator. */
@Configuration(proxyBeanMethods = false)
@EnableWebSecurity
class Operators {

    @Bean
    SecurityFilterChain actuator(HttpSecurity http) throws Exception {
        return http.securityMatcher("/actuator/**")
                .authorizeHttpRequests(requests -> requests.anyRequest().hasRole("OPERATOR"))
                .httpBasic(Customizer.withDefaults())
                .csrf(csrf -> csrf.disable()) // for curl; browsers that log in with a cookie need it
                .build();
    }

    @Bean
    UserDetailsService users() {
        return new InMemoryUserDetailsManager(User.withUsername("alice")
                .password("{noop}secret")
                .roles("OPERATOR")
                .build());
    }
}
