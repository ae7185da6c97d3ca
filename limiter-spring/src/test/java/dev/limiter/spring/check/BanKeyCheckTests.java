package dev.limiter.spring.check;

import static dev.limiter.spring.compile.TestRules.inForce;
import static dev.limiter.spring.compile.TestRules.keyed;
import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.spring.failure.MessageCode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A ban of a key that clients choose freely is reported. */
class BanKeyCheckTests {

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "ip; false",
                "principal|ip; false",
                "session|ip; false",
                "header:X-User; true",
                "cookie:user; true",
                "param:user; true",
                "ip, param:user; true",
                "principal | header:X-User; true",
                "path:id; true",
                "path:header; true",
                "path:id|ip; true",
                "principal|path:id; true",
                "method, path:id; true",
                "ip, path:id; false",
                "path:id, principal|ip; false",
                "#{#request.cookie('user')}; true",
                "method, ip; false",
                "#{#request.getHeader('X-User')}; true",
                "#{#request?.getParameter('user')}; true",
                "#{#request.method}; false"
            })
    void findsKeysThatClientsChoose(String key, boolean chosen) {
        assertThat(new BanKeyCheck(inForce(keyed("login", key).ban(3L, "1m", "15m"))).findings())
                .allSatisfy(finding -> {
                    assertThat(finding.code()).isEqualTo(MessageCode.CHOSEN_BAN_KEY);
                    assertThat(finding.text()).startsWith("limiter.rules.login.key = " + key + ": ");
                })
                .hasSize(chosen ? 1 : 0);
    }

    @Test
    void keyOfARuleWithoutABanMayBeAny() {
        assertThat(new BanKeyCheck(inForce(keyed("login", "header:X-User"))).findings())
                .isEmpty();
    }
}
