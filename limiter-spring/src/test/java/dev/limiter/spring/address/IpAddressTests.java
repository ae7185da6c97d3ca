package dev.limiter.spring.address;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Each client has one address, however it is written, and text that is no address is none. */
class IpAddressTests {

    @ParameterizedTest
    @CsvSource({
        "192.0.2.1, 192.0.2.1",
        "0.0.0.0, 0.0.0.0",
        "255.255.255.255, 255.255.255.255",
        "::ffff:192.0.2.1, 192.0.2.1",
        "::FFFF:c000:201, 192.0.2.1",
        "0:0:0:0:0:ffff:192.0.2.255, 192.0.2.255",
        "::ffff:192.0.2.1%eth0, 192.0.2.1",
    })
    void mappedIpv4IsIpv4(String text, String expected) {
        assertThat(IpAddress.parse(text).network(64)).isEqualTo(expected);
        assertThat(IpAddress.parse(text).isIpv4()).isTrue();
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
        "fe80::1%eth0.100, fe80:0:0:0::/64",
        "fe80::1%, fe80:0:0:0::/64",
        "64:ff9b::192.0.2.1, 64:ff9b:0:0::/64",
        "1:2:3:4:5:6:192.0.2.1, 1:2:3:4::/64",
        "1:2:3:4:5:6:7::, 1:2:3:4::/64",
    })
    void ipv6IsItsNetwork(String text, String expected) {
        assertThat(IpAddress.parse(text).network(64)).isEqualTo(expected);
        assertThat(IpAddress.parse(text).isIpv4()).isFalse();
    }

    @ParameterizedTest
    @CsvSource({
        "1, 8000::/1",
        "16, ffff::/16",
        "32, ffff:ffff::/32",
        "48, ffff:ffff:ffff::/48",
        "56, ffff:ffff:ffff:ff00::/56",
        "60, ffff:ffff:ffff:fff0::/60",
        "65, ffff:ffff:ffff:ffff:8000::/65",
        "112, ffff:ffff:ffff:ffff:ffff:ffff:ffff::/112",
        "120, ffff:ffff:ffff:ffff:ffff:ffff:ffff:ff00/120",
        "128, ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
    })
    void networkHasThePrefixAsked(int prefix, String expected) {
        String all = "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff";
        assertThat(IpAddress.parse(all).network(prefix)).isEqualTo(expected);
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
                "::ffff:010.0.0.1",
                "1:2:3:4:5:6:7:1.2.3.4",
                "%::1",
                "[::1]",
                "::1.2.3.4:5",
                "unix:/run/app.sock",
                "example.com",
                "localhost",
                "127.0.0.1:8080",
                "127.1",
                "2130706433",
                "0x7f.0.0.1",
                "0x7f000001",
                "0177.0.0.1",
                "127.0.0.01",
                "127.0.0.1.",
                ".127.0.0.1",
                "127..0.1",
                "127.0.0.-1",
                "+127.0.0.1",
                "127.0.0.256",
                "1.2.3.4%eth0",
                "1.2.3.٤",
                "١::",
            })
    void whatIsNoAddressIsNone(String text) {
        assertThat(IpAddress.parse(text)).isNull();
    }
}
