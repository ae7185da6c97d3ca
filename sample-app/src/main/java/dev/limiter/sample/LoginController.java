package dev.limiter.sample;

import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

@RestController
class LoginController {

    // Charging by outcome: limiter.rules.login counts only failed logins, and bans clients that continue.
    @PostMapping("/login")
    ResponseEntity<String> login(@RequestParam String user, @RequestParam String password) {
        return password.equals("tea")
                ? ResponseEntity.ok("welcome " + user)
                : ResponseEntity.status(HttpStatus.UNAUTHORIZED).body("wrong password");
    }
}
