package dev.limiter.spring.key;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.limiter.spring.address.AddressSettings;
import dev.limiter.spring.context.RateLimitContext;
import dev.limiter.spring.expression.ExpressionScope;
import dev.limiter.spring.expression.LimiterExpressionParser;
import dev.limiter.spring.expression.RuleEvaluationException;
import dev.limiter.spring.failure.LimiterConfigurationException;
import dev.limiter.spring.web.ServletRequestView;
import jakarta.servlet.http.Cookie;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.support.StaticListableBeanFactory;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.web.servlet.HandlerMapping;

/** Keys follow the grammar, imitate no other key, and hide secrets. */
class KeyParserTests {

    private final StaticListableBeanFactory beans = new StaticListableBeanFactory();
    private final KeyParser parser = new KeyParser(new KeyAlternatives(
            beans, new LimiterExpressionParser(beans), SecretValues.asTheyAre(), AddressSettings.DEFAULT));
    private final MockHttpServletRequest request = new MockHttpServletRequest("POST", "/orders/7");
    private final RateLimitContext context = RateLimitContext.of(new ServletRequestView(request), "POST /orders/{id}");

    @BeforeEach
    void fillRequest() {
        request.setRemoteAddr("192.0.2.1");
        request.setUserPrincipal(() -> "alice");
        request.addHeader("X-Api-Key", "k1");
        request.addHeader("X-Comma", "a,header:x-api-key=2:k1");
        request.addParameter("q", "p1");
        request.setCookies(new Cookie("c", "c1"));
        request.setAttribute(HandlerMapping.URI_TEMPLATE_VARIABLES_ATTRIBUTE, Map.of("id", "7"));
        beans.addBean("tenant", (KeyResolver) decision -> "acme");
        beans.addBean("claim", (KeySource) (name, decision) -> name.equals("sub") ? "user-7" : null);
        beans.addBean("faulty", (KeySource) (name, decision) -> {
            throw new IllegalArgumentException("no claims");
        });
        beans.addBean("nobody", (KeyResolver) decision -> null);
        beans.addBean("broken", (KeyResolver) decision -> {
            throw new IllegalArgumentException("no tenant");
        });
    }

    /** The client's identity may be any part of the key. */
    static Stream<Arguments> clients() {
        return Stream.of(
                arguments("ip", "ip=9:192.0.2.1"),
                arguments("ip,method", "ip=9:192.0.2.1"),
                arguments(
                        "path:id,principal,header:X-Comma",
                        "principal=5:alice,header:x-comma=23:a,header:x-api-key=2:k1"),
                arguments("header:X-None", "header:X-None=unresolved"),
                arguments("path:id,method", "path:id=1:7,method=4:POST"),
                arguments("tenant", "tenant=4:acme"));
    }

    @ParameterizedTest
    @MethodSource("clients")
    void clientIsTheSameAtEachResource(String text, String client) {
        RateLimitKey key = parser.parse(List.of(text), "test", ExpressionScope.REQUEST);
        for (RateLimitKey scoped : List.of(key, key.perResource(), key.within("A.b(int, C)"))) {
            assertThat(scoped.resolve(context).client()).isEqualTo(client);
        }
    }

    /** Unidentified clients share unresolved keys: a part has no value, and no other part identifies the client. */
    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "global; false",
                "ip; false",
                "header:X-None; true",
                "header:X-None|principal; false",
                "nobody|global; true",
                "header:X-None,principal; false",
                "header:X-None,path:id; true",
                "path:id; false",
                "path:none; true",
                "path:none,ip; false",
                "method; false",
                "method,session; true",
                "nobody; true",
                "tenant; false",
                "#request.getHeader('X-None'); true"
            })
    void keyIsUnresolvedWithoutAClient(String text, boolean unresolved) {
        RateLimitKey key = parse(text);
        for (RateLimitKey scoped : List.of(key, key.perResource(), key.within("A.b(int, C)"))) {
            ResolvedKey resolved = scoped.resolve(context);
            assertThat(resolved.unresolved()).isEqualTo(unresolved);
            assertThat(scoped.ofInput(resolved.text(), null))
                    .as("the key as an operator enters it")
                    .isEqualTo(resolved.text().isEmpty() ? scoped.ofInput("", null) : Optional.of(resolved));
        }
    }

    @Test
    void clientsWithContradictoryAddressesShareAnUnresolvedKey() {
        assertThat(parse("ip").ofInput("contradictory", null))
                .contains(new ResolvedKey("ip=13:contradictory", "ip=13:contradictory", true, null));
        assertThat(parse("ip").ofInput("IP=unresolved", null))
                .contains(new ResolvedKey("ip=unresolved", "ip=unresolved", true, "ip"));
    }

    static Stream<Arguments> meant() {
        return Stream.of(
                arguments("global", null, ""),
                arguments("global", "", ""),
                arguments("global", "global", ""),
                arguments("global", "x", null),
                arguments("ip", "", null),
                arguments("ip", "ip:192.0.2.1", "ip=9:192.0.2.1"),
                arguments("ip", "192.0.2.1", "ip=9:192.0.2.1"),
                arguments("ip", "ip=9:192.0.2.1", "ip=9:192.0.2.1"),
                arguments("ip", "ip=unresolved", "ip=unresolved"),
                arguments("ip", null, null),
                arguments("ip", "ip=500:192.0.2.1", "ip=16:ip=500:192.0.2.1"),
                arguments("ip", "ip=99999999999999999999:1", "ip=25:ip=99999999999999999999:1"),
                arguments("header:X-Api-Key", "a,b", "header:x-api-key=3:a,b"),
                arguments("principal|ip", "alice", "principal=5:alice"),
                arguments("principal|ip", "ip:192.0.2.1", "ip=9:192.0.2.1"),
                arguments("principal|ip", "ip=9:192.0.2.1", "ip=9:192.0.2.1"),
                arguments("principal,method", "alice", null),
                arguments("principal,method", "principal=5:alice,method=3:GET", "principal=5:alice,method=3:GET"),
                arguments("principal,method", "principal=5:alice;method=3:GET", null));
    }

    @ParameterizedTest
    @MethodSource("meant")
    void keyIsFoundByTheInputOfAnOperator(String key, @Nullable String text, @Nullable String whole) {
        assertThat(input(parse(key), text, null)).isEqualTo(Optional.ofNullable(whole));
    }

    @ParameterizedTest
    @CsvSource({
        "2001:db8:0:1::5, 2001:db8:0:1::/64",
        "2001:DB8:0:1::/64, 2001:db8:0:1::/64",
        "ip:2001:db8:0:1::5, 2001:db8:0:1::/64",
        "0:0:0:0::/64, 0:0:0:0::/64",
        "IP:192.0.2.7, 192.0.2.7",
        "' 192.0.2.7 ', 192.0.2.7",
        "contradictory, contradictory",
        "2001:db8::/32, 2001:db8::/32"
    })
    void addressIsMeantInEachOfItsSpellings(String said, String client) {
        assertThat(input(parse("ip"), said, null)).contains("ip=" + client.length() + ":" + client);
        assertThat(input(parse("ip|header:X"), said, null)).contains("ip=" + client.length() + ":" + client);
    }

    @Test
    void keyPerResourceIsFoundWithTheResource() {
        RateLimitKey key = parse("ip").perResource();

        assertThat(input(key, "192.0.2.1", "GET /a")).contains("resource=6:GET /a,ip=9:192.0.2.1");
        assertThat(input(key, "192.0.2.1", null)).isEmpty();
        assertThat(input(key, "resource=6:GET /a,ip=9:192.0.2.1", null)).contains("resource=6:GET /a,ip=9:192.0.2.1");
        assertThat(input(RateLimitKey.GLOBAL.perResource(), null, "GET /a")).contains("resource=6:GET /a");
        assertThat(input(parse("ip").within("m()"), "192.0.2.1", null)).contains("resource=3:m(),ip=9:192.0.2.1");
        assertThat(input(RateLimitKey.GLOBAL.within("m()"), "", null)).contains("resource=3:m()");
        assertThat(input(RateLimitKey.GLOBAL.within("m()"), "", "m()")).contains("resource=3:m()");
        assertThat(input(RateLimitKey.GLOBAL.within("m()"), "", "another()")).isEmpty();
        assertThat(input(parse("ip"), "192.0.2.1", "GET /a")).isEmpty();
    }

    @Test
    void fullKeyIsHashedAsInTheStorage() {
        RateLimitKey key = parser(SecretValues.hashedWith("a secret"))
                .parse(List.of("principal,header:X-Api-Key"), "test", ExpressionScope.REQUEST);
        String whole = key.resolve(context).text();

        assertThat(whole).contains("hmac:").doesNotContain("k1");
        assertThat(input(key, "principal=5:alice,header:x-api-key=2:k1", null)).contains(whole);
        assertThat(input(key, whole, null)).contains(whole);
        assertThat(key.partTypes()).containsExactly("principal", "header:x-api-key");
    }

    static Stream<Arguments> grammar() {
        return Stream.of(
                arguments("global", ""),
                arguments("ip", "ip=9:192.0.2.1"),
                arguments(" ip ", "ip=9:192.0.2.1"),
                arguments("principal", "principal=5:alice"),
                arguments("session", "session=unresolved"),
                arguments("claim:sub", "claim:sub=6:user-7"),
                arguments("claim : sub", "claim:sub=6:user-7"),
                arguments("claim:iss", "claim:iss=unresolved"),
                arguments("claim:iss|ip", "ip=9:192.0.2.1"),
                arguments("method", "method=4:POST"),
                arguments("header:X-Api-Key", "header:x-api-key=2:k1"),
                arguments("header: X-Api-Key", "header:x-api-key=2:k1"),
                arguments("header:X-None", "header:X-None=unresolved"),
                arguments("cookie:c", "cookie:c=2:c1"),
                arguments("cookie:C", "cookie:C=unresolved"),
                arguments("param:q", "param:q=2:p1"),
                arguments("path:id", "path:id=1:7"),
                arguments("path:none", "path:none=unresolved"),
                arguments("tenant", "tenant=4:acme"),
                arguments("nobody", "nobody=unresolved"),
                arguments("nobody|ip", "ip=9:192.0.2.1"),
                arguments("principal|ip", "principal=5:alice"),
                arguments("session | nobody", "session | nobody=unresolved"),
                arguments("nobody|global", "global=6:global"),
                arguments("ip,principal", "ip=9:192.0.2.1,principal=5:alice"),
                arguments("ip, session", "ip=9:192.0.2.1,session=unresolved"),
                arguments("global,ip", "ip=9:192.0.2.1"),
                arguments("ip,param:q,tenant", "ip=9:192.0.2.1,param:q=2:p1,tenant=4:acme"),
                arguments("#request.method", "#request.method=4:POST"),
                arguments("#{#request.method}", "#{#request.method}=4:POST"),
                arguments("#request.path.length()", "#request.path.length()=1:9"),
                arguments("#request.getHeader('a,b')|ip", "ip=9:192.0.2.1"),
                arguments("#{#request.principal.name + '|,' + 1}", "#{#request.principal.name + '|,' + 1}=8:alice|,1"),
                arguments("#{{'a','b'}.![#this + '!']}", "#{{'a','b'}.![#this + '!']}=8:[a!, b!]"),
                arguments("#{T(java.util.Optional).empty()}|tenant", "tenant=4:acme"));
    }

    @ParameterizedTest
    @MethodSource("grammar")
    void readsTheGrammar(String key, String expected) {
        assertThat(resolve(key)).isEqualTo(expected);
    }

    @Test
    void noValueImitatesAnotherCombination() {
        List<String> values = List.of("a", "", "b", "a,header:y=1:b", "1:a", "unresolved", "a,header:y=unresolved");
        Set<String> keys = new HashSet<>();
        for (String x : values) {
            for (String y : values) {
                MockHttpServletRequest other = new MockHttpServletRequest();
                other.addHeader("X", x);
                other.addHeader("Y", y);
                keys.add(parser.parse(List.of("header:X,header:Y"), "test", ExpressionScope.REQUEST)
                        .resolve(RateLimitContext.of(new ServletRequestView(other), "r"))
                        .text());
            }
        }

        assertThat(keys).hasSize(values.size() * values.size());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"header:X-Api-Key", "cookie:c", "param:q", "session", "tenant", "#request.getHeader('X-Api-Key')"
            })
    void secretsLeaveTheApplicationAsAKeyedHashOnly(String key) {
        request.getSession(true);
        String plain = resolve(key);

        String hashed = resolve(key, SecretValues.hashedWith("a secret"));

        assertThat(hashed).matches("\\Q" + plain.substring(0, plain.lastIndexOf('=')) + "\\E=hmac:[A-Za-z0-9_-]{22}");
        assertThat(resolve(key, SecretValues.hashedWith("a secret"))).isEqualTo(hashed);
        assertThat(resolve(key, SecretValues.hashedWith("another"))).isNotEqualTo(hashed);
    }

    @ParameterizedTest
    @ValueSource(strings = {"ip", "principal", "method", "path:id", "nobody", "header:X-None"})
    void partsWithoutASecretStayReadable(String key) {
        assertThat(resolve(key, SecretValues.hashedWith("a secret"))).isEqualTo(resolve(key));
    }

    @Test
    void longValuesAreKeptAsHash() {
        request.addHeader("Long", "x".repeat(256));
        request.addHeader("Longer", "x".repeat(257));
        request.addHeader("Longest", "x".repeat(100_000));

        assertThat(resolve("header:Long")).isEqualTo("header:long=256:" + "x".repeat(256));
        assertThat(resolve("header:Longer")).matches("header:longer=sha256:[0-9a-f]{64}");
        assertThat(resolve("header:Longest").substring(15))
                .isNotEqualTo(resolve("header:Longer").substring(14));
    }

    @Test
    void inventedMethodsAreOneAndHeadIsGet() {
        request.setMethod("HEAD");
        assertThat(resolve("method")).isEqualTo("method=3:GET");
        request.setMethod("FETCH");
        assertThat(resolve("method")).isEqualTo("method=1:*");
    }

    @Test
    void sessionIsOnlyOneThatExists() {
        request.setRequestedSessionId("claimed");
        assertThat(resolve("session")).isEqualTo("session=unresolved");
        String id = request.getSession(true).getId();

        assertThat(resolve("session")).isEqualTo("session=" + id.length() + ":" + id);
    }

    @Test
    void objectsWithoutTextAreAnErrorAndNotANewKeyEachTime() {
        assertThatThrownBy(() -> resolve("#{new Object()}"))
                .isInstanceOf(RuleEvaluationException.class)
                .hasMessageContaining("does not override toString()")
                .hasMessageContaining("limiter.rules.test.key");
    }

    @Test
    void failuresNameTheExpressionAndWhereItIsWritten() {
        assertThatThrownBy(() -> resolve("#request.principal.nickname"))
                .isInstanceOf(RuleEvaluationException.class)
                .hasMessageContaining("#request.principal.nickname")
                .hasMessageContaining("limiter.rules.test.key");
        assertThatThrownBy(() -> resolve("broken"))
                .isInstanceOf(RuleEvaluationException.class)
                .hasMessageContaining("broken")
                .hasMessageContaining("no tenant");
        assertThatThrownBy(() -> resolve("faulty:sub"))
                .isInstanceOf(RuleEvaluationException.class)
                .hasMessageContaining("KeySource \"faulty\" (limiter.rules.test.key)")
                .hasMessageContaining("no claims");
    }

    @Test
    void constantKeysAreKnownInAdvance() {
        assertThat(parse("global").constant()).isEqualTo(new ResolvedKey("", "", false, null));
        assertThat(parse("global").within("Orders.list()").constant())
                .isEqualTo(new ResolvedKey("resource=13:Orders.list()", "", false, null));
        assertThat(parse("ip").constant()).isNull();
    }

    @Test
    void resourcesDivideBuckets() {
        assertThat(parse("ip").perResource().resolve(context).text())
                .isEqualTo("resource=17:POST /orders/{id},ip=9:192.0.2.1");
        assertThat(parse("ip").within("Orders.list()").resolve(context).text())
                .isEqualTo("resource=13:Orders.list(),ip=9:192.0.2.1");
        assertThat(parse("ip,param:q").within("r").resolve(context).text())
                .isEqualTo("resource=1:r,ip=9:192.0.2.1,param:q=2:p1");
    }

    @ParameterizedTest
    @MethodSource("unparsable")
    void rejectsUnparsableKeys(String key, String said) {
        assertThatThrownBy(() -> parse(key))
                .isInstanceOf(LimiterConfigurationException.class)
                .hasMessageContaining("limiter.rules.test.key")
                .hasMessageContaining(said);
    }

    static Stream<Arguments> unparsable() {
        return Stream.of(
                arguments("", "empty"),
                arguments("  ", "empty"),
                arguments(",ip", "a part before or after ',' is empty"),
                arguments("ip,", "a part before or after ',' is empty"),
                arguments("ip||global", "an alternative before or after '|' is empty"),
                arguments("#request.getHeader('x)", "is not closed"),
                arguments("#request.getHeader('x'", "is not closed"),
                arguments("#request.getHeader]", "not opened"),
                arguments("IP", "\"IP\" is unknown"),
                arguments("header:", "needs a name"),
                arguments("header:a b", "is not a valid name of a header or cookie"),
                arguments("header:'X-Api-Key'", "is not a valid name of a header or cookie"),
                arguments("cookie:'c'", "is not a valid name of a header or cookie"),
                arguments("tenants", "param:name, path:name, principal, session, tenant"),
                arguments("claim:", "needs a name"),
                arguments("claims:sub", "claim:"),
                arguments("tenant:sub", "\"tenant:sub\" is unknown"),
                arguments("#request +", "is invalid"),
                arguments("#{}", "is invalid"),
                arguments("#user", "#user is unknown"),
                arguments("#{path}", "\"path\" is unknown"),
                arguments("#{#request.getHeader(name)}", "\"name\" is unknown"),
                arguments("@nothing.there", "no bean has the name"));
    }

    private RateLimitKey parse(String key) {
        return parser.parse(List.of(key), "limiter.rules.test.key", ExpressionScope.REQUEST);
    }

    private static Optional<String> input(RateLimitKey key, @Nullable String text, @Nullable String resource) {
        return key.ofInput(text, resource).map(ResolvedKey::text);
    }

    private String resolve(String key) {
        return parse(key).resolve(context).text();
    }

    private KeyParser parser(SecretValues secrets) {
        return new KeyParser(
                new KeyAlternatives(beans, new LimiterExpressionParser(beans), secrets, AddressSettings.DEFAULT));
    }

    private String resolve(String key, SecretValues secrets) {
        return parser(secrets)
                .parse(List.of(key), "test", ExpressionScope.REQUEST)
                .resolve(context)
                .text();
    }
}
