package dev.limiter.spring.address;

import static java.util.Collections.nCopies;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.limiter.spring.failure.Problems;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** The bucket of a client, with headers from the client and from proxies. */
@ExtendWith(OutputCaptureExtension.class)
class ClientAddressesTests {

    private static final String PROXY = "10.0.0.1";
    private static final String NOBODY = "contradictory";
    private static final String CLIENT = "203.0.113.7";
    private static final List<String> TRUSTED = List.of("10.0.0.0/8", "2001:db8:ffff::/48");

    static Stream<Arguments> clients() {
        return Stream.of(
                // no headers
                peer("192.0.2.1", "192.0.2.1"),
                peer(PROXY, PROXY),
                peer("::ffff:192.0.2.1", "192.0.2.1"),
                peer("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
                peer("fe80:0:0:0:0:0:0:1%eth0", "fe80:0:0:0::/64"),
                peer("/run/app.sock", "/run/app.sock"),
                peer("", ""),
                // X-Forwarded-For: different spellings of one client
                xff(CLIENT, "203.0.113.7"),
                xff(CLIENT, "  203.0.113.7\t"),
                xff(CLIENT, "203.0.113.7:4711"),
                xff(CLIENT, "\"203.0.113.7:4711\""),
                xff(CLIENT, "::ffff:203.0.113.7"),
                xff(CLIENT, "[::FFFF:203.0.113.7]:4711"),
                xff(CLIENT, ",,203.0.113.7,,"),
                xff("2001:db8:0:0::/64", "2001:db8::1"),
                xff("2001:db8:0:0::/64", "[2001:db8::1]"),
                xff("2001:db8:0:0::/64", "[2001:db8::1]:443"),
                xff("2001:db8:0:0::/64", "\"[2001:db8::1]:443\""),
                xff("fe80:0:0:0::/64", "[fe80::1%25eth0]:80"),
                // from right to left, up to the first untrusted address
                xff(CLIENT, "198.51.100.1, 203.0.113.7"),
                xff(CLIENT, "203.0.113.7, 10.9.9.9"),
                xff(CLIENT, "198.51.100.1, 203.0.113.7, 10.9.9.9, 2001:db8:ffff::1"),
                xff(CLIENT, "203.0.113.7,10.9.9.9:80 , [2001:db8:ffff::1]:80"),
                xff(CLIENT, "203.0.113.7", "10.9.9.9"),
                xff(CLIENT, "198.51.100.1", "203.0.113.7, 10.9.9.9", "10.9.9.8"),
                xff(CLIENT, "198.51.100.1", "203.0.113.7", "", " , "),
                xff("10.9.9.9", "10.9.9.9"),
                xff("10.9.9.8", "10.9.9.8, 10.9.9.9"),
                xff(CLIENT, "garbage, 203.0.113.7"),
                xff(CLIENT, "\", 203.0.113.7"),
                // an invalid entry from a trusted proxy: the last trusted address
                xff(PROXY, ""),
                xff(PROXY, " , ,, "),
                xff(PROXY, "unknown"),
                xff(PROXY, "203.0.113.7, unknown"),
                xff("10.9.9.9", "203.0.113.7, garbage, 10.9.9.9"),
                xff(PROXY, "203.0.113.7:"),
                xff(PROXY, "203.0.113.7:http"),
                xff(PROXY, "203.0.113.7:123456"),
                xff(PROXY, "[203.0.113.7]"),
                xff(PROXY, "[2001:db8::1"),
                xff(PROXY, "2001:db8::1]"),
                xff(PROXY, "[2001:db8::1]443"),
                xff(PROXY, "["),
                xff(PROXY, "\""),
                xff(PROXY, "\"\"\"203.0.113.7\"\"\""),
                xff(PROXY, "203.0.113.7\r"),
                // Forwarded
                forwarded(PROXY, "for=[2001:db8::1"),
                forwarded(PROXY, "for=\"203.0.113.7, 198.51.100.1\""),
                forwarded(PROXY, "by=203.0.113.7;host=203.0.113.7"),
                forwarded(PROXY, "xfor=203.0.113.7"),
                forwarded(CLIENT, "for=203.0.113.7"),
                forwarded(CLIENT, "For=\"203.0.113.7\""),
                forwarded(CLIENT, "for=\"203.0.113.7:4711\""),
                forwarded(CLIENT, "for=\"203.0.113.7:_port\""),
                forwarded(CLIENT, "for=\"20\\3.0.113.7\""),
                forwarded(CLIENT, "proto=https;by=10.0.0.1;for=203.0.113.7;host=example.com"),
                forwarded(CLIENT, " proto=https ; for=203.0.113.7 ; host=\"a;for=1.2.3.4, for=1.2.3.4\" "),
                forwarded(CLIENT, "for=203.0.113.7;host=\"\\\", for=1.2.3.4;x=\\\"\""),
                forwarded("2001:db8:cafe:0::/64", "for=\"[2001:db8:cafe::17]:4711\""),
                forwarded("2001:db8:cafe:0::/64", "for=2001:db8:cafe::17"),
                forwarded(CLIENT, "for=198.51.100.1, for=203.0.113.7, for=10.9.9.9"),
                forwarded(CLIENT, "for=198.51.100.1", "for=203.0.113.7", "for=\"10.9.9.9:80\""),
                forwarded(CLIENT, "for=\"198.51.100.1, for=203.0.113.7"),
                forwarded(CLIENT, "for=\"198.51.100.1\\, for=203.0.113.7"),
                forwarded(CLIENT, "for=_hidden, for=203.0.113.7"),
                forwarded(PROXY, "for=unknown"),
                forwarded(PROXY, "for=_hidden"),
                forwarded(PROXY, "for=\"_hidden:_port\""),
                forwarded("10.9.9.9", "for=203.0.113.7, for=unknown, for=10.9.9.9"),
                forwarded(PROXY, "proto=https"),
                forwarded(PROXY, "for=203.0.113.7, proto=https"),
                forwarded(PROXY, "for="),
                forwarded(PROXY, "for"),
                forwarded(PROXY, "=203.0.113.7"),
                forwarded(PROXY, "for=203.0.113.7;for=198.51.100.1"),
                forwarded(PROXY, "for=203.0.113.7\""),
                forwarded(PROXY, "for=\"203.0.113.7"),
                forwarded(PROXY, "for=\"203.0.113.7\\\""),
                forwarded(PROXY, "for = 203.0.113.7"),
                forwarded(PROXY, "203.0.113.7"),
                forwarded(PROXY, "\\"),
                // both headers: never combined, and ignored if they contradict each other
                arguments(PROXY, List.of("for=203.0.113.7"), List.of("203.0.113.7"), CLIENT),
                arguments(PROXY, List.of("for=203.0.113.7, for=10.9.9.9"), List.of("::ffff:203.0.113.7"), CLIENT),
                arguments(PROXY, List.of("for=\"[2001:db8::1]\""), List.of("2001:db8::2"), "2001:db8:0:0::/64"),
                arguments(PROXY, List.of("for=198.51.100.1"), List.of("203.0.113.7"), NOBODY),
                arguments(PROXY, List.of("for=198.51.100.1"), List.of("203.0.113.7, 10.9.9.9"), NOBODY),
                arguments(PROXY, List.of("for=unknown"), List.of("203.0.113.7"), NOBODY),
                arguments(PROXY, List.of(""), List.of("203.0.113.7"), CLIENT),
                arguments(PROXY, List.of("for=203.0.113.7"), List.of(" , "), CLIENT),
                // headers from an untrusted peer are ignored
                arguments("192.0.2.1", List.of("for=203.0.113.7"), List.of("203.0.113.7"), "192.0.2.1"),
                arguments("11.0.0.1", List.of(), List.of("203.0.113.7"), "11.0.0.1"),
                arguments("2001:db8:fffe::1", List.of(), List.of("203.0.113.7"), "2001:db8:fffe:0::/64"),
                arguments("/run/app.sock", List.of(), List.of("203.0.113.7"), "/run/app.sock"),
                // different spellings of a trusted peer
                arguments("::ffff:10.0.0.1", List.of(), List.of("203.0.113.7"), CLIENT),
                // more entries than any client sends
                xff(CLIENT, String.join(",", nCopies(10_000, "198.51.100.1")) + ", 203.0.113.7"),
                xff("10.9.9.9", "203.0.113.7," + String.join(",", nCopies(10_000, "10.9.9.9"))),
                xff(PROXY, "203.0.113.7" + ",".repeat(10_000)),
                xff(PROXY, "1".repeat(100_000)),
                xff(PROXY, ":".repeat(100_000)),
                xff(PROXY, "\"".repeat(100_000)),
                xff(PROXY, "[".repeat(100_000)),
                arguments(PROXY, List.of(), nCopies(10_000, "10.9.9.9"), "10.9.9.9"),
                forwarded(CLIENT, String.join(",", nCopies(10_000, "for=\"[::1]\"")) + ", for=203.0.113.7"),
                forwarded(PROXY, "for=\"" + "\\".repeat(100_000) + "\""),
                forwarded(PROXY, "\"\\".repeat(50_000)),
                forwarded(PROXY, ";for=".repeat(50_000)));
    }

    private static Arguments peer(String peer, String expected) {
        return arguments(peer, List.of(), List.of(), expected);
    }

    private static Arguments xff(String expected, String... lines) {
        return arguments(PROXY, List.of(), List.of(lines), expected);
    }

    private static Arguments forwarded(String expected, String... lines) {
        return arguments(PROXY, List.of(lines), List.of(), expected);
    }

    @ParameterizedTest(name = "{index}")
    @MethodSource("clients")
    void landsInItsBucket(String peer, List<String> forwarded, List<String> xForwardedFor, String expected) {
        ClientAddresses addresses = addresses(TrustedHeader.ANY, TRUSTED);

        String bucket = Assertions.assertTimeoutPreemptively(
                Duration.ofSeconds(60), () -> addresses.of(new Request(peer, null, forwarded, xForwardedFor)));

        assertThat(bucket).isEqualTo(expected);
    }

    @Test
    void peerWithoutAddressIsNone() {
        assertThat(addresses(TrustedHeader.ANY, TRUSTED).of(new Request(null, null, List.of(), List.of())))
                .isNull();
    }

    @Test
    void onlyTheHeaderThatProxiesWriteIsRead() {
        Request both = new Request(PROXY, null, List.of("for=198.51.100.1"), List.of(CLIENT));

        assertThat(addresses(TrustedHeader.FORWARDED, TRUSTED).of(both)).isEqualTo("198.51.100.1");
        assertThat(addresses(TrustedHeader.X_FORWARDED_FOR, TRUSTED).of(both)).isEqualTo(CLIENT);
        Request other = new Request(PROXY, null, List.of(), List.of(CLIENT));
        assertThat(addresses(TrustedHeader.FORWARDED, TRUSTED).of(other)).isEqualTo(PROXY);
    }

    @Test
    void prefixDistinguishesIpv6Clients() {
        Request request = new Request(PROXY, null, List.of(), List.of("2001:db8:1:2:3:4:5:6"));
        AddressRanges trusted = AddressRanges.parse("", TRUSTED, new Problems());

        assertThat(new ClientAddresses(new AddressSettings(trusted, TrustedHeader.ANY, 48)).of(request))
                .isEqualTo("2001:db8:1::/48");
        assertThat(new ClientAddresses(new AddressSettings(trusted, TrustedHeader.ANY, 128)).of(request))
                .isEqualTo("2001:db8:1:2:3:4:5:6");
    }

    @Test
    void addressRemovedByTheServerIsTheRightmostEntry() {
        ClientAddresses addresses = addresses(TrustedHeader.ANY, TRUSTED);

        assertThat(addresses.of(new Request(PROXY, CLIENT, List.of(), List.of("198.51.100.1"))))
                .isEqualTo(CLIENT);
        assertThat(addresses.of(new Request(PROXY, "10.9.9.9", List.of(), List.of("203.0.113.7"))))
                .isEqualTo(CLIENT);
        assertThat(addresses.of(new Request(PROXY, "garbage", List.of(), List.of("203.0.113.7"))))
                .isEqualTo(PROXY);
        assertThat(addresses.of(new Request("192.0.2.1", CLIENT, List.of(), List.of())))
                .isEqualTo("192.0.2.1");
    }

    @Test
    void neverFailsOnInvalidAddresses() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        String alphabet = "\"\\,;=:[]%. \tfor_0123456789abcdefunkown";
        ClientAddresses addresses = addresses(TrustedHeader.ANY, TRUSTED);
        for (int i = 0; i < 20_000; i++) {
            StringBuilder noise = new StringBuilder();
            for (int c = random.nextInt(40); c >= 0; c--) {
                noise.append(alphabet.charAt(random.nextInt(alphabet.length())));
            }
            List<String> both = new ArrayList<>(List.of(noise.toString(), "for=203.0.113.7"));
            assertThat(addresses.of(new Request(PROXY, null, both, List.of())))
                    .as("seed %d: %s", seed, noise)
                    .isEqualTo(CLIENT);
            String alone = addresses.of(new Request(PROXY, null, List.of(noise.toString()), List.of()));
            assertThat(alone).as("seed %d: %s", seed, noise).matches("[0-9.]{7,15}|[0-9a-f:]+::/64");
        }
    }

    @Test
    void warnsOnceAboutHeadersOfAnUntrustedPeer(CapturedOutput output) {
        ClientAddresses addresses = addresses(TrustedHeader.ANY, List.of());

        addresses.of(new Request("172.18.0.5", null, List.of(), List.of()));
        assertThat(output).doesNotContain("limiter.web.trusted-proxies");
        for (int i = 0; i < 10; i++) {
            addresses.of(new Request("172.18.0.5", null, List.of(), List.of(CLIENT)));
        }
        assertThat(output.getOut().split("trusted-proxies: \\[\"172.16.0.0/12\"]", -1))
                .hasSize(2);
        assertThat(output).contains("ERROR").doesNotContain("172.18.0.5").doesNotContain(CLIENT);
    }

    @Test
    void warnsOnceAboutContradictingHeaders(CapturedOutput output) {
        ClientAddresses addresses = addresses(TrustedHeader.ANY, TRUSTED);

        for (int i = 0; i < 10; i++) {
            addresses.of(new Request(PROXY, null, List.of("for=198.51.100.1"), List.of(CLIENT)));
        }
        assertThat(output.getOut().split("limiter.web.forwarded-header", -1)).hasSize(2);
    }

    @Test
    void warnsAboutTrustingAllAddresses(CapturedOutput output) {
        addresses(TrustedHeader.ANY, List.of("10.0.0.0/8"));
        assertThat(output).doesNotContain("contains all addresses");
        addresses(TrustedHeader.ANY, List.of("::/0"));
        assertThat(output).contains("limiter.web.trusted-proxies contains all addresses");
        addresses(TrustedHeader.ANY, List.of("0.0.0.0/0"));
        assertThat(output.getOut().split("contains all addresses", -1)).hasSize(3);
    }

    private static ClientAddresses addresses(TrustedHeader header, List<String> trusted) {
        Problems problems = new Problems();
        AddressRanges ranges = AddressRanges.parse("limiter.web.trusted-proxies", trusted, problems);
        problems.throwIfAny();
        return new ClientAddresses(new AddressSettings(ranges, header, 64));
    }

    private record Request(String peer, String claimed, List<String> forwarded, List<String> xForwardedFor)
            implements Sender {

        @Override
        public List<String> header(String name) {
            return name.equals("Forwarded") ? forwarded : xForwardedFor;
        }
    }
}
