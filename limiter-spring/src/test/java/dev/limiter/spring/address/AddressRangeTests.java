package dev.limiter.spring.address;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Allow, deny and proxy lists match exactly their networks, and mistakes in them are explained. */
class AddressRangeTests {

    @ParameterizedTest
    @CsvSource({
        "10.0.0.0/8, 10.0.0.0, true",
        "10.0.0.0/8, 10.255.255.255, true",
        "10.0.0.0/8, ::ffff:10.1.2.3, true",
        "10.0.0.0/8, 11.0.0.0, false",
        "10.0.0.0/8, 9.255.255.255, false",
        "::ffff:10.0.0.0/104, 10.1.2.3, true",
        "192.0.2.128/25, 192.0.2.127, false",
        "192.0.2.128/25, 192.0.2.128, true",
        "192.0.2.7, 192.0.2.7, true",
        "192.0.2.7/32, 192.0.2.8, false",
        "0.0.0.0/0, 255.1.2.3, true",
        "0.0.0.0/0, 2001:db8::1, false",
        "::/0, 2001:db8::1, true",
        "::/0, 10.0.0.1, false",
        "2001:db8::/32, 2001:db8:ffff::1, true",
        "2001:db8::/32, 2001:db9::, false",
        "2001:db8::/65, 2001:db8::7fff:1:2:3, true",
        "2001:db8::/65, 2001:db8::8000:1:2:3, false",
        "::1, ::1, true",
        "::1/128, ::2, false",
        "fe80::/10, fe80::1%eth0, true",
    })
    void holdsWhatBeginsWithItsBits(String range, String address, boolean expected) {
        assertThat(AddressRange.parse(range).contains(IpAddress.parse(address))).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource({
        "'', not an IP address or network",
        "/8, not an IP address or network",
        "example.com, not an IP address or network",
        "10/8, not an IP address or network",
        "10.0.0/8, not an IP address or network",
        "256.0.0.0/8, not an IP address or network",
        "010.0.0.0/8, not an IP address or network",
        "[::1]/128, not an IP address or network",
        "fe80::1%eth0/64, not an IP address or network",
        "10.0.0.0/, number from 0 to 32",
        "10.0.0.0/33, number from 0 to 32",
        "10.0.0.0/-1, number from 0 to 32",
        "10.0.0.0/08, number from 0 to 32",
        "10.0.0.0/8/8, number from 0 to 32",
        "10.0.0.0/255.0.0.0, number from 0 to 32",
        "::/129, number from 0 to 128",
        "10.0.0.1/8, Did you mean 10.0.0.0/8",
        "2001:db8::1/32, Did you mean 2001:db8:0:0:0:0:0:0/32",
    })
    void messageContainsACorrectExample(String range, String message) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> AddressRange.parse(range))
                .withMessageContaining(message)
                .withMessageContaining("10.0.0.0/8");
    }
}
