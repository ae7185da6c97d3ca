package dev.limiter.spring.address;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ClientAddressTests {

    @ParameterizedTest
    @CsvSource({
        "192.0.2.1, 192.0.2.1",
        "::ffff:192.0.2.1, 192.0.2.1",
        "::FFFF:c000:201, 192.0.2.1",
        "0:0:0:0:0:ffff:192.0.2.255, 192.0.2.255",
        "[::ffff:192.0.2.1], 192.0.2.1",
    })
    void mappedIpv4IsIpv4(String address, String expected) {
        assertThat(ClientAddress.of(address)).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource({
        "2001:db8:1:2:3:4:5:6, 2001:db8:1:2::/64",
        "2001:DB8:1:2::, 2001:db8:1:2::/64",
        "2001:db8::1, 2001:db8:0:0::/64",
        "2001:0db8:0000::0001, 2001:db8:0:0::/64",
        "::1, 0:0:0:0::/64",
        "::, 0:0:0:0::/64",
        "1::, 1:0:0:0::/64",
        "fe80::1%eth0, fe80:0:0:0::/64",
        "[2001:db8::1], 2001:db8:0:0::/64",
        "64:ff9b::192.0.2.1, 64:ff9b:0:0::/64",
        "1:2:3:4:5:6:192.0.2.1, 1:2:3:4::/64",
        "1:2:3:4:5:6:7::, 1:2:3:4::/64",
    })
    void ipv6IsItsNetwork(String address, String expected) {
        assertThat(ClientAddress.of(address)).isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                ":",
                ":::",
                "1:2:3",
                "1:2:3:4:5:6:7:8:9",
                "1:2:3:4:5:6:7:8::",
                "1::2::3",
                "12345::",
                "g::",
                "1:2:3:4:5:6:7:",
                "::1.2.3",
                "::1.2.3.256",
                "::1.2.3.4.5",
                "1:2:3:4:5:6:7:1.2.3.4",
                "::%",
                "%::1",
                "[",
                "]:[",
                "::1.2.3.4:5",
                "unix:/run/app.sock",
                "not an address",
                "127.0.0.1:8080",
                "١::"
            })
    void whatIsNoAddressStaysAndNeverFails(String text) {
        assertThat(ClientAddress.of(text)).isIn(text, "0:0:0:0::/64");
    }

    @Test
    void noAddressIsNone() {
        assertThat(ClientAddress.of(null)).isNull();
    }
}
