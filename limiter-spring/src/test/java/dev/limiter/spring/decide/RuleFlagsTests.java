package dev.limiter.spring.decide;

import static dev.limiter.spring.compile.TestRules.compiled;
import static dev.limiter.spring.compile.TestRules.keyed;
import static dev.limiter.spring.decide.DecisionFixture.user;
import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.spring.address.ClientAddress;
import dev.limiter.spring.address.IpAddress;
import dev.limiter.spring.compile.RateLimitRule;
import dev.limiter.spring.context.RateLimitContext;
import dev.limiter.spring.context.RequestView;
import dev.limiter.spring.rule.RuleOptions;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Allowed and denied addresses, waits and reserves apply to the rules that have them, and to no others. */
class RuleFlagsTests {

    @Test
    void onlyAllowedAddressesAreExempt() {
        RateLimitRule rule = compiled(keyed("test", "header:user").set(RuleOptions.ALLOW, List.of("192.0.2.0/24")));
        assertThat(rule.exemption(from("192.0.2.7"))).isEqualTo("allow");
        assertThat(rule.exemption(from("198.51.100.7"))).isNull();
        assertThat(compiled(keyed("test", "header:user")).exemption(from("192.0.2.7")))
                .isNull();
    }

    @Test
    void deniedAddressesAreNoAllowedOnes() {
        RateLimitRule denying = compiled(keyed("test", "header:user").set(RuleOptions.DENY, List.of("192.0.2.0/24")));
        assertThat(denying.hasDeniedAddresses()).isTrue();
        assertThat(denying.exemption(from("192.0.2.7"))).isNull();
        RateLimitRule allowing = compiled(keyed("test", "header:user").set(RuleOptions.ALLOW, List.of("192.0.2.0/24")));
        assertThat(allowing.hasDeniedAddresses()).isFalse();
    }

    @Test
    void chargesWaitWhereTheRuleLetsThem() {
        RateLimitRule waiting = compiled(keyed("test", "header:user").set(RuleOptions.MAX_WAIT, "500ms"));
        assertThat(waiting.charge(user("ann")).maxWait()).isEqualTo(Duration.ofMillis(500));
        assertThat(compiled(keyed("test", "header:user")).charge(user("ann")).maxWait())
                .isZero();
    }

    @Test
    void aReserveIsKeptWithoutWaiting() {
        RateLimitRule rule = compiled(keyed("test", "header:user")
                .set(RuleOptions.PRIORITY, "#request.getHeader('user') == 'ann'")
                .set(RuleOptions.RESERVE, "20%"));
        assertThat(rule.charge(user("ann")).reserve()).isZero();
        assertThat(rule.charge(user("ben")).reserve()).isEqualTo(20);
    }

    @Test
    void onlyAGlobalKeyIsForAllCallers() {
        assertThat(compiled(keyed("test", "global").set(RuleOptions.PATHS, List.of("/**")))
                        .isForAll(false))
                .isTrue();
        assertThat(compiled(keyed("test", "header:user")).isForAll(true)).isFalse();
        RateLimitRule named = compiled(keyed("test", "global"));
        assertThat(named.isForAll(true)).as("in a gateway route").isTrue();
        assertThat(named.isForAll(false)).as("in code, which may pass keys").isFalse();
    }

    /** Returns a request of ann from an address. */
    private static RateLimitContext from(String address) {
        RequestView headers = HeadersOnly.of(Map.of("user", "ann"));
        ClientAddress client = new ClientAddress(IpAddress.parse(address), true);
        RequestView request = (RequestView) Proxy.newProxyInstance(
                RequestView.class.getClassLoader(),
                new Class<?>[] {RequestView.class},
                (proxy, method, arguments) ->
                        method.getName().equals("client") ? client : method.invoke(headers, arguments));
        return RateLimitContext.of(request, "GET /test");
    }
}
