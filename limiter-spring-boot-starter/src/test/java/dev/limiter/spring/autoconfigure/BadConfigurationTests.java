package dev.limiter.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.limiter.spring.key.KeyResolver;
import dev.limiter.spring.key.KeySource;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.Banner;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.SystemEnvironmentPropertySource;
import org.springframework.core.io.ByteArrayResource;

/** The output of an application that does not start. */
@ExtendWith(OutputCaptureExtension.class)
class BadConfigurationTests {

    private static final String ORDERS = "limiter.rules.orders: { paths: /a, ";

    static Stream<Arguments> badConfigurations() {
        return Stream.of(
                bad(ORDERS + "limit: 0, window: 1s }", "limiter.rules.orders.limit = \"0\"", "from 1 to"),
                bad(ORDERS + "limit: -5, window: 1s }", "limiter.rules.orders.limit = \"-5\"", "from 1 to"),
                bad(ORDERS + "limit: many, window: 1s }", "limiter.rules.orders.limit = \"many\"", "a whole number"),
                bad(ORDERS + "limit: 1.5, window: 1s }", "limiter.rules.orders.limit = \"1.5\"", "a whole number"),
                bad(ORDERS + "limit: .inf, window: 1s }", "limiter.rules.orders.limit = \"Infinity\"", "a whole"),
                bad(
                        ORDERS + "limits: { fast: { limit: 2.25, window: 1s } } }",
                        "limiter.rules.orders.limits.fast.limit = \"2.25\"",
                        "a whole number"),
                bad(
                        ORDERS + "limit: 1, window: 1s, status: server }",
                        "limiter.rules.orders.status = \"server\"",
                        "a whole number"),
                bad(
                        ORDERS + "limit: 1, window: 1s, status: 500 }",
                        "limiter.rules.orders.status = \"500\"",
                        "It must be 429 or 503."),
                bad(
                        ORDERS + "limit: 1, window: 1s, tier-by: ip, tiers: { gold: endless } }",
                        "limiter.rules.orders.tiers.gold = \"endless\"",
                        "keys of its own"),
                bad(
                        ORDERS + "limit: 1, window: 1s, limit-resolver: nobody }",
                        "limiter.rules.orders.limit-resolver = \"nobody\"",
                        "no LimitResolver bean"),
                bad(
                        ORDERS + "limits: { a: { limit: 1, window: 1s } }, limit-resolver: '#{1}' }",
                        "limiter.rules.orders.limit-resolver = \"#{1}\"",
                        "one limit"),
                bad(
                        ORDERS + "limit: 1, window: 1s, limit-resolver: '#{1}', limit-cache: 2d }",
                        "limiter.rules.orders.limit-cache = \"2d\"",
                        "at most 1d"),
                bad(
                        ORDERS + "limit: 1, window: 1s, phase: request, key: '#request.pattern' }",
                        "limiter.rules.orders.key = \"#request.pattern\"",
                        "pattern is not known yet"),
                wrongExpression("condition: \"#{'abc'}\"", "always abc", "true or false", "LIM-302"),
                wrongExpression("condition: 5", "always 5", "true or false", "LIM-302"),
                wrongExpression("cost: \"#{'abc'}\"", "always abc", "a whole number", "LIM-208"),
                wrongExpression("cost: \"#{1 - 1}\"", "always 0", "a whole number from 1", "LIM-208"),
                wrongExpression("cost: \"#{2 * 5}\"", "more than can ever be granted at once: 5", "LIM-209"),
                bad("limiter.web.allow: 10.0.0", "limiter.web.allow = \"10.0.0\""),
                bad("limiter.web.deny: nobody", "limiter.web.deny = \"nobody\""),
                bad("limiter.storage: disk", "limiter.storage = \"disk\"", "memory, redis"),
                bad("limiter.redis.key-prefix: 'a{b}:'", "limiter.redis.key-prefix = \"a{b}:\"", "no braces"),
                bad("limiter.redis.key-prefix: ' '", "limiter.redis.key-prefix", "not be empty"),
                bad("limiter.redis.timeout: 50", "limiter.redis.timeout = \"50\"", "500ms"),
                bad("limiter.redis.timeout: 0s", "limiter.redis.timeout = \"0s\"", "longer than zero"),
                bad("limiter.redis.timeout: 11s", "limiter.redis.timeout = \"11s\"", "at most 10s"),
                bad("limiter.redis.on-failure: panic", "limiter.redis.on-failure = \"panic\"", "local, allow, deny"),
                bad("limiter.redis.instances: 0", "limiter.redis.instances = \"0\"", "from 1 to"),
                bad("limiter.redis.key-secret: too-short", "limiter.redis.key-secret", "9 characters", "16 or more"),
                bad("limiter.redis.host: x", "limiter.redis.host", "key-prefix", "timeout, on-failure"),
                bad(
                        ORDERS + "limit: 5, window: 1s, on-failure: panic }",
                        "limiter.rules.orders.on-failure = \"panic\"",
                        "local, allow, deny"),
                bad(
                        ORDERS + "limit: 500, window: 1s, lease: 60% }",
                        "limiter.rules.orders.lease = \"60%\"",
                        "from 1% to 50%"),
                bad(
                        ORDERS + "limit: 500, window: 1s, lease: 5 }",
                        "limiter.rules.orders.lease = \"5\"",
                        "from 1% to 50%"),
                bad(
                        ORDERS + "limit: 5, algorithm: concurrency, lease: 5% }",
                        "limiter.rules.orders.lease = \"5%\"",
                        "would be ignored"),
                bad(
                        ORDERS + "limit: 5, window: 1s, algorithm: leaky-bucket, max-wait: 1s, lease: 5% }",
                        "limiter.rules.orders.lease = \"5%\"",
                        "would be ignored"),
                inRedis(ORDERS + "limit: 5, window: 1500ns }", "orders.window = \"1500ns\"", "whole number of micro"),
                inRedis(
                        ORDERS + "limit: 5, window: 1s, warm-up: 1000001ns }",
                        "orders.warm-up = \"1000001ns\"",
                        "whole number of micro"),
                inRedis(
                        ORDERS + "limit: 5, window: 1s, max-wait: 1500ns }",
                        "orders.max-wait = \"1500ns\"",
                        "whole number of micro",
                        "LIM-109"),
                inRedis(
                        ORDERS + "limit: 5, window: 5us, algorithm: sliding-window-counter, buckets: 6 }",
                        "orders.window = \"5us\"",
                        "for 6 buckets"),
                inRedis(
                        ORDERS + "limit: 5, window: 5us, algorithm: sliding-window-counter }",
                        "orders.window = \"5us\"",
                        "for 10 buckets",
                        "LIM-107"),
                bad(
                        ORDERS + "limit: 5, window: 5ns, algorithm: sliding-window-counter, buckets: 6 }",
                        "orders.window = \"5ns\"",
                        "for 6 buckets"),
                bad(
                        "limiter.rules.orders: { 'paths[1]': /a, limit: 5, window: 1s }",
                        "limiter.rules.orders.paths (",
                        "a list of texts"),
                inRedis(
                        ORDERS + "limit: 10001, window: 1s, algorithm: sliding-window-log }",
                        "orders.limit = \"10001\"",
                        "at most 10000",
                        "sliding-window-counter",
                        "LIM-405"),
                inRedis(
                        ORDERS + "limit: 5, window: 1s, key: ip, ban: { after: 10001, within: 1s, for: 1m } }",
                        "orders.ban.after = \"10001\"",
                        "at most 10000"),
                inRedis(
                        ORDERS + "limit: 5, window: 1s, key: ip, ban: { after: 2, within: 1ns, for: 1m } }",
                        "orders.ban.within = \"1ns\"",
                        "whole number of micro"),
                bad("limiter.mode: 1", "limiter.mode = \"1\"", "enforce, shadow", "LIM-102"),
                bad("limiter.web.headers: 4", "limiter.web.headers = \"4\"", "ietf", "LIM-102"),
                bad(
                        ORDERS + "limit: 5, window: 1s, algorithm: 1 }",
                        "limiter.rules.orders.algorithm = \"1\"",
                        "fixed-window",
                        "LIM-102"),
                bad(rule("key: '#root'"), "limiter.rules.orders.key", "#root is unknown", "LIM-302"),
                bad(rule("condition: '#this == 5'"), "limiter.rules.orders.condition", "#this is unknown", "LIM-302"),
                bad(
                        "limiter.rules.orders: { paths: /orders, limit: 1.000, window: 1s }",
                        "limiter.rules.orders.limit = \"1.0\"",
                        "whole number",
                        "LIM-102"),
                bad("limiter.changes-file: ''", "limiter.changes-file = \"\"", "It is empty", "LIM-504"),
                bad("limiter.changes-file: .", "limiter.changes-file = \".\"", "It is a folder", "LIM-504"),
                bad("limiter.changes-file: classpath:changes", "write its path", "LIM-504"),
                bad("limiter.max-keys: 10.5", "limiter.max-keys = \"10.5\"", "a whole number"),
                bad("limiter.web.ipv6-prefix: 64.5", "limiter.web.ipv6-prefix = \"64.5\"", "a whole number"),
                bad(ORDERS + "limit: 5, window: 1s, limits: '' }", "limiter.rules.orders.limits", "at least one"),
                bad(
                        "limiter.web.default-limit: { limit: 5, window: 1s, limits: '' }",
                        "limiter.web.default-limit.limits",
                        "at least one"),
                bad(ORDERS + "limit: 5, window: 0s }", "limiter.rules.orders.window = \"0s\"", "longer than zero"),
                bad(ORDERS + "limit: 5, window: -1s }", "limiter.rules.orders.window = \"-1s\"", "whole number"),
                bad(
                        ORDERS + "limit: 5, window: 10 }",
                        "limiter.rules.orders.window = \"10\"",
                        "10s",
                        "ns us ms s m h d"),
                bad(ORDERS + "limit: 5, window: 10M }", "limiter.rules.orders.window = \"10M\"", "ns us ms s m h d"),
                bad(ORDERS + "limit: 5, window: 1mo }", "limiter.rules.orders.window = \"1mo\"", "align: calendar"),
                bad(ORDERS + "limit: 5, window: P1M }", "limiter.rules.orders.window = \"P1M\"", "whole number"),
                bad(
                        ORDERS + "limit: 5, window: 1mo, algorithm: fixed-window, align: first }",
                        "limiter.rules.orders.window = \"1mo\"",
                        "align: calendar"),
                bad(ORDERS + "limit: 5, window: 1s, max-wait: 500 }", "orders.max-wait = \"500\"", "500ms"),
                bad(ORDERS + "limit: 5, window: 1s, max-wait: 2d }", "orders.max-wait = \"2d\"", "at most 1d"),
                bad(
                        ORDERS + "limit: 5, window: 1s, algorithm: fixed-window, align: first, max-wait: 1s }",
                        "orders.max-wait = \"1s\"",
                        "would be ignored"),
                bad(
                        ORDERS + "limit: 5, window: 1s, max-waiting: 0 }",
                        "orders.max-waiting = \"0\"",
                        "must be 1 or more"),
                bad(ORDERS + "limit: 5, window: 1s, reserve: 20% }", "orders.reserve = \"20%\"", "priority"),
                bad(
                        ORDERS + "limit: 5, window: 1s, reserve: 0.2, priority: \"true\" }",
                        "orders.reserve = \"0.2\"",
                        "from 1% to 99%"),
                bad(
                        ORDERS + "limit: 5, window: 1s, algorithm: leaky-bucket, max-wait: 1s, priority: \"true\" }",
                        "orders.priority = \"true\"",
                        "LIM-204"),
                bad(
                        ORDERS + "limit: 5, window: 1s, warm-up: 10s, reserve: 20%, priority: \"true\" }",
                        "orders.priority = \"true\"",
                        "LIM-204"),
                bad(
                        rule("max-wait: 1s\n      " + gold("algorithm: fixed-window, align: first")),
                        "orders.max-wait = \"1s\"",
                        "(limiter.rules.orders.tiers.gold) it would be ignored",
                        "LIM-204"),
                bad(
                        rule("max-waiting: 5\n      " + gold("algorithm: fixed-window, align: first")),
                        "orders.max-waiting = \"5\"",
                        "(limiter.rules.orders.tiers.gold) it would be ignored"),
                bad(
                        rule("max-wait: 1s\n      priority: \"true\"\n      " + gold("algorithm: leaky-bucket")),
                        "orders.priority = \"true\"",
                        "leaky-bucket with max-wait) (limiter.rules.orders.tiers.gold)",
                        "LIM-204"),
                bad(
                        rule("lease: 5%\n      " + gold("algorithm: concurrency")),
                        "orders.lease = \"5%\"",
                        "concurrency (limiter.rules.orders.tiers.gold)",
                        "LIM-204"),
                bad(
                        ORDERS + "limit: 5, window: 1s, algorithm: leaky-bucket, warm-up: 1s }",
                        "limiter.rules.orders (",
                        "warms up only if it is paced"),
                bad(
                        ORDERS + "limit: 5, window: 1s, burst: 9, warm-up: 1s }",
                        "limiter.rules.orders (",
                        "has no burst of its own"),
                bad(ORDERS + "limit: 5, window: 1s, warm-up: 31d }", "orders.warm-up = \"31d\"", "to 30 days"),
                bad(
                        ORDERS + "limit: 5, window: 1s, phase: request, max-wait: 1s }",
                        "orders.phase = \"request\"",
                        "in a filter"),
                bad(calendar("1h"), "limiter.rules.orders.window = \"1h\"", "1d, 7d or 1mo"),
                bad(calendar("24h"), "limiter.rules.orders.window = \"24h\"", "1d, 7d or 1mo"),
                bad(calendar("2d"), "limiter.rules.orders.window = \"2d\"", "1d, 7d or 1mo"),
                bad(calendar("2mo"), "limiter.rules.orders.window = \"2mo\"", "1d, 7d or 1mo"),
                bad(calendar("1M"), "limiter.rules.orders.window = \"1M\"", "1d, 7d or 1mo"),
                bad(calendar("P1Y"), "limiter.rules.orders.window = \"P1Y\"", "1d, 7d or 1mo"),
                bad(calendar("PT24H"), "limiter.rules.orders.window = \"PT24H\"", "1d, 7d or 1mo"),
                bad(calendar("1d, zone: Mars"), "limiter.rules.orders.zone = \"Mars\"", "such as Europe/Berlin"),
                bad(calendar("1d, zone: +10:00"), "limiter.rules.orders.zone = \"600\"", "quoted offset"),
                bad(
                        ORDERS + "limit: 5, window: 1d, algorithm: fixed-window, zone: UTC }",
                        "limiter.rules.orders.zone = \"UTC\"",
                        "needs align: calendar"),
                bad(
                        ORDERS + "limit: 5, window: 1d, align: calendar }",
                        "limiter.rules.orders.align = \"calendar\"",
                        "token-bucket has no align",
                        "only fixed-window"),
                bad(
                        ORDERS + "limit: 5, window: 1d, algorithm: fixed-window, align: monday }",
                        "limiter.rules.orders.align = \"monday\"",
                        "epoch, first, calendar"),
                bad(
                        ORDERS
                                + "limits: { daily: { limit: 5, window: 1h, algorithm: fixed-window, align: calendar } } }",
                        "limiter.rules.orders.limits.daily.window = \"1h\"",
                        "1d, 7d or 1mo"),
                bad(
                        "limiter.web.default-limit: { limit: 5, window: 1d, algorithm: fixed-window, align: calendar, zone: X }",
                        "limiter.web.default-limit.zone = \"X\"",
                        "Europe/Berlin"),
                bad(ORDERS + "limit: 5 }", "limiter.rules.orders", "window is missing"),
                bad(ORDERS + "window: 1s }", "limiter.rules.orders", "limit is missing"),
                bad(ORDERS + "key: ip }", "limiter.rules.orders", "limit is missing"),
                bad(
                        ORDERS + "limit: 5, window: 1s, algorithm: magic }",
                        "limiter.rules.orders.algorithm = \"magic\"",
                        "leaky-bucket, token-bucket, concurrency."),
                bad(
                        ORDERS + "limit: 5, window: 1s, algorithm: concurrency }",
                        "limiter.rules.orders.window = \"1s\"",
                        "concurrency has no window"),
                bad(
                        ORDERS + "limit: 5, window: 1s, algorithm: fixed-window, burst: 9 }",
                        "limiter.rules.orders.burst = \"9\"",
                        "fixed-window has no burst",
                        "only leaky-bucket, token-bucket"),
                bad(
                        ORDERS + "limit: 5, window: 1s, buckets: 9 }",
                        "limiter.rules.orders.buckets = \"9\"",
                        "token-bucket has no buckets",
                        "only sliding-window-counter"),
                bad(ORDERS + "limit: 5, window: 1s, burst: 0 }", "limiter.rules.orders.burst = \"0\"", "from 1"),
                bad(
                        ORDERS + "limit: 5, window: 1s, burst: 3, cost: 4 }",
                        "limiter.rules.orders.cost = \"4\"",
                        "granted at once: 3"),
                bad(
                        ORDERS + "limit: 5, window: 1s, cost: 6, algorithm: fixed-window }",
                        "limiter.rules.orders.cost = \"6\"",
                        "granted at once: 5"),
                bad(ORDERS + "limit: 5, window: 1s, cost: 0 }", "limiter.rules.orders.cost = \"0\"", "from 1"),
                bad(ORDERS + "limit: 5, window: 1s, cost: 1.5 }", "limiter.rules.orders.cost = \"1.5\"", "whole"),
                bad(
                        ORDERS + "limit: 5, window: 1s, cost: abc }",
                        "limiter.rules.orders.cost = \"abc\"",
                        "\"abc\" is unknown"),
                bad(
                        ORDERS + "limits: { a: { limit: 5, window: 1s }, b: { limit: 9, window: 1m, cost: 0 } } }",
                        "limiter.rules.orders.limits.b.cost = \"0\"",
                        "from 1"),
                bad(
                        ORDERS + "limits: { a: { limit: 5, window: 1s }, b: { limit: 9, window: 1m, cost: abc } } }",
                        "limiter.rules.orders.limits.b.cost = \"abc\"",
                        "\"abc\" is unknown"),
                bad(
                        ORDERS + "limits: { a: { limit: 5, window: 1s }, b: { limit: 9, window: 1m, cost: 10 } } }",
                        "limiter.rules.orders.limits.b.cost = \"10\"",
                        "granted at once: 9"),
                bad(
                        ORDERS
                                + "cost: 6, limits: { a: { limit: 5, window: 1s }, b: { limit: 9, window: 1m, cost: 2 } } }",
                        "limiter.rules.orders.cost = \"6\"",
                        "granted at once: 5",
                        "limiter.rules.orders.limits.a"),
                bad(
                        ORDERS + "limits: { b: { limit: 9, window: 1m, cots: 2 } } }",
                        "limiter.rules.orders.limits.b.cots",
                        "Did you mean cost?"),
                bad(
                        namedTiers("gold: { limits: { burst: { limit: 9, cost: 2 } } }"),
                        "limiter.rules.orders.tiers.gold.limits.burst.cost = \"2\"",
                        "A cost is not allowed here"),
                bad(
                        ORDERS + "limits: { b: { limit: 9, window: 1m, cost: 5 } },"
                                + " tier-by: header:X-Plan, tiers: { small: { limits: { b: { limit: 4 } } } } }",
                        "limiter.rules.orders.limits.b.cost = \"5\"",
                        "limiter.rules.orders.tiers.small.limits.b"),
                bad(rule("tiers: { gold: { limit: 9 } }"), "limiter.rules.orders.tiers (", "Tiers need tier-by"),
                bad(rule("tier-by: header:X-Plan"), "limiter.rules.orders.tier-by (", "at least one tier"),
                bad(tiers("gold: lots"), "limiter.rules.orders.tiers.gold = \"lots\"", "keys of its own"),
                bad(tiers("gold:"), "limiter.rules.orders.tiers.gold = \"\" (", "keys of its own"),
                bad(tiers("gold: 1000"), "limiter.rules.orders.tiers.gold = \"1000\" (", "keys of its own: limit"),
                bad(tiers("gold: { unlimited: true, limit: 9 }"), "limiter.rules.orders.tiers.gold (", "not both"),
                bad(tiers("gold: { unlimited: maybe }"), "tiers.gold.unlimited = \"maybe\"", "true or false"),
                bad(tiers("gold: { limit: 0 }"), "limiter.rules.orders.tiers.gold.limit = \"0\"", "from 1 to"),
                bad(tiers("gold: { limit: lots }"), "limiter.rules.orders.tiers.gold.limit = \"lots\"", "whole number"),
                bad(tiers("gold: { window: 10 }"), "limiter.rules.orders.tiers.gold.window = \"10\"", "10s"),
                bad(tiers("gold: { buckets: 9 }"), "limiter.rules.orders.tiers.gold.buckets = \"9\"", "no buckets"),
                bad(
                        tiers("gold: { algorithm: fixed-window, burst: 9 }"),
                        "limiter.rules.orders.tiers.gold.burst = \"9\"",
                        "fixed-window has no burst"),
                bad(
                        tiers("gold: { limt: 9 }"),
                        "limiter.rules.orders.tiers.gold.limt = \"9\"",
                        "limit, window, algorithm"),
                bad(
                        tiers("gold: { limits: { a: { limit: 9 } } }"),
                        "limiter.rules.orders.tiers.gold.limits",
                        "only one limit, without a name"),
                bad(tiers("gold: { limit: 1 }") + "\n      cost: 2", "limiter.rules.orders.cost = \"2\"", "tiers.gold"),
                bad(
                        tiers("gold: { limit: 9 }, GOLD: { burst: 8 }"),
                        "tiers.GOLD",
                        "same tier as limiter.rules.orders.tiers.gold"),
                bad(tiers("Gold: { limit: 9 }"), "limiter.rules.orders.tiers.Gold (", "start with a small letter"),
                bad(
                        rule("tier-by: plan\n      tiers: { gold: { limit: 9 } }"),
                        "limiter.rules.orders.tier-by = \"plan\"",
                        "principal, session, tenant and SpEL"),
                bad(
                        rule("tier-by: ''\n      tiers: { gold: { limit: 9 } }"),
                        "limiter.rules.orders.tier-by = \"\"",
                        "It is empty"),
                bad(
                        rule("tier-by: 'ip,method'\n      tiers: { gold: { limit: 9 } }"),
                        "limiter.rules.orders.tier-by = \"ip,method\"",
                        "one value"),
                bad(
                        rule("tier-by: '#plan'\n      tiers: { gold: { limit: 9 } }"),
                        "limiter.rules.orders.tier-by = \"#plan\"",
                        "#plan is unknown"),
                bad(namedTiers("gold: { limit: 9 }"), "limiter.rules.orders.tiers.gold (", "Write which: burst."),
                bad(
                        namedTiers("gold: { limits: { brust: { limit: 9 } } }"),
                        "limiter.rules.orders.tiers.gold.limits.brust (",
                        "there are burst"),
                bad(
                        "limiter.web.default-limit: { limit: 5, window: 1s, tiers: { gold: { limit: 9 } } }",
                        "limiter.web.default-limit.tiers (",
                        "Tiers need tier-by"),
                bad(
                        "limiter.web.trusted-proxies: [10.0.0.0/33]",
                        "limiter.web.trusted-proxies = \"10.0.0.0/33\"",
                        "0 to 32"),
                bad(
                        "limiter.web.trusted-proxies: ['::1', proxy]",
                        "limiter.web.trusted-proxies = \"proxy\"",
                        "no network"),
                bad("limiter.web.trusted-proxies: 10.1.0.0/8", "= \"10.1.0.0/8\"", "did you mean 10.0.0.0/8"),
                bad("limiter.web.ipv6-prefix: 0", "limiter.web.ipv6-prefix = \"0\"", "from 1 to 128"),
                bad("limiter.web.ipv6-prefix: 129", "limiter.web.ipv6-prefix = \"129\"", "from 1 to 128"),
                bad("limiter.web.forwarded-header: x-real-ip", "\"x-real-ip\"", "any, forwarded, x-forwarded-for"),
                bad(rule("key: #user.id"), "limiter.rules.orders.key = \"\"", "Quote it"),
                bad(rule("key: ''"), "limiter.rules.orders.key = \"\"", "Quote it"),
                bad(rule("key: []"), "limiter.rules.orders.key = \"\"", "Quote it"),
                bad(rule("key: ip, #user"), "limiter.rules.orders.key = \"ip,\"", "nothing before or after"),
                bad(rule("key: 'ip|'"), "limiter.rules.orders.key = \"ip|\"", "nothing before or after"),
                bad(rule("key: '#request.('"), "limiter.rules.orders.key = \"#request.(\"", "is not closed"),
                bad(rule("key: '#request.'"), "limiter.rules.orders.key = \"#request.\"", "cannot work"),
                bad(rule("key: '#user.id'"), "limiter.rules.orders.key = \"#user.id\"", "#user is unknown", "#request"),
                bad(rule("key: '@plans.of(1)'"), "limiter.rules.orders.key", "no bean named \"plans\""),
                bad(rule("key: 'header:'"), "limiter.rules.orders.key = \"header:\"", "lacks a name"),
                bad("limiter.aspect.order: x", "limiter.aspect.order = \"x\"", "whole number"),
                bad("limiter.aspect.order: 99999999999", "limiter.aspect.order = \"99999999999\"", "whole number"),
                bad(rule("burst: ''"), "limiter.rules.orders.burst", "There is no value here"),
                bad(rule("max-waiting:"), "limiter.rules.orders.max-waiting", "There is no value here"),
                bad(rule("onFailure: ''"), "limiter.rules.orders", "There is no value here"),
                bad(rule("key: 'headr:X'"), "limiter.rules.orders.key = \"headr:X\"", "Did you mean header:name?"),
                bad(
                        rule("key: tenat"),
                        "limiter.rules.orders.key = \"tenat\"",
                        "\"tenat\" is unknown",
                        "path:name, principal, session, tenant and SpEL"),
                bad(rule("condition: #user"), "limiter.rules.orders.condition = \"\"", "Quote it"),
                bad(
                        rule("condition: 401"),
                        "limiter.rules.orders.condition = \"401\"",
                        "always 401",
                        "such as \"#request.method == 'GET'\""),
                bad(rule("charge-if: 401"), "limiter.rules.orders.charge-if = \"401\"", "#response.status == 401"),
                bad(
                        "limiter.rules.orders: { paths: [\"${nope}/**\"], limit: 5, window: 1s }",
                        "LIM-106",
                        "limiter.rules.orders.paths[0] = \"${nope}\""),
                bad(
                        rule("key: method\n      ban: { after: 3, within: 1m, for: 1m }"),
                        "LIM-310",
                        "With method all clients are one"),
                bad(rule("condition: '1 +'"), "limiter.rules.orders.condition = \"1 +\"", "cannot work"),
                bad(rule("charge-if: #response"), "limiter.rules.orders.charge-if = \"\"", "Quote it"),
                bad(rule("charge-if: '1 +'"), "limiter.rules.orders.charge-if = \"1 +\"", "cannot work"),
                bad(
                        rule("charge-if: '#result == null'"),
                        "limiter.rules.orders.charge-if = \"#result == null\"",
                        "#result is unknown",
                        "#request, #response"),
                bad(
                        rule("condition: '#response.status == 1'"),
                        "limiter.rules.orders.condition",
                        "#response is unknown"),
                bad(
                        ORDERS + "limit: 5, algorithm: concurrency, charge-if: '#response.status == 401' }",
                        "limiter.rules.orders.charge-if = \"#response.status == 401\"",
                        "would be ignored"),
                bad(
                        tiers("gold: { algorithm: concurrency }") + "\n      charge-if: '#response.status == 401'",
                        "limiter.rules.orders.charge-if = \"#response.status == 401\"",
                        "would be ignored"),
                bad(
                        "limiter.web.default-limit: { limit: 5, window: 1s, charge-if: '#status' }",
                        "limiter.web.default-limit.charge-if = \"#status\"",
                        "#status is unknown"),
                bad(rule("allow: office"), "limiter.rules.orders.allow = \"office\"", "no network"),
                bad(rule("deny: ['::1', 10.1.0.0/8]"), "limiter.rules.orders.deny = \"10.1.0.0/8\"", "10.0.0.0/8"),
                bad(
                        "limiter.web.default-limit: { limit: 5, window: 1s, allow: 10.0.0.0/33 }",
                        "limiter.web.default-limit.allow = \"10.0.0.0/33\"",
                        "0 to 32"),
                bad(ban("after: 20, within: 1m, for: 15m"), "limiter.rules.orders.ban (", "The rule has none"),
                bad(
                        ban("after: 20, within: 1m, for: 15m") + "\n      key: global",
                        "limiter.rules.orders.ban (",
                        "needs a key that tells clients apart, such as key: ip. With global all clients are one."),
                bad(ban("after: 0, within: 1m, for: 15m"), "limiter.rules.orders.ban.after = \"0\"", "from 1 to"),
                bad(
                        ban("after: few, within: 1m, for: 15m"),
                        "limiter.rules.orders.ban.after = \"few\"",
                        "whole number"),
                bad(
                        ban("after: 1, within: 0s, for: 15m"),
                        "limiter.rules.orders.ban.within = \"0s\"",
                        "longer than zero"),
                bad(
                        ban("after: 1, within: 1m, for: 9999d"),
                        "limiter.rules.orders.ban.for = \"9999d\"",
                        "at most 3660d"),
                bad(ban("after: 1, within: 1m, for: 15"), "limiter.rules.orders.ban.for = \"15\"", "ns us ms s m h d"),
                bad(ban("within: 1m, for: 15m"), "limiter.rules.orders.ban (", "needs after, within and for"),
                bad(ban("after: 1, for: 15m"), "limiter.rules.orders.ban (", "needs after, within and for"),
                bad(
                        ban("after: 1, within: 1m"),
                        "limiter.rules.orders.ban (",
                        "needs after, within and for",
                        "for: 15m"),
                bad(ban("duration: 15m"), "limiter.rules.orders.ban.duration = \"15m\"", "after, within, for"),
                bad(
                        "limiter.web.default-limit: { limit: 1, window: 1s, ban: { after: 1 } }",
                        "default-limit.ban",
                        "unknown"),
                bad(rule("cost: #user"), "limiter.rules.orders.cost = \"\"", "Quote it"),
                bad(
                        rule("pathz: /b"),
                        "limiter.rules.orders.pathz = \"/b\"",
                        "unknown",
                        "paths, methods, phase, scope, key"),
                bad(rule("phase: early"), "limiter.rules.orders.phase = \"early\"", "endpoint, request"),
                bad(
                        "limiter.rules.orders: { limit: 1, window: 1s, phase: request }",
                        "limiter.rules.orders.phase = \"request\"",
                        "add paths"),
                early("key: principal", "principal"),
                early("key: \"ip,principal\"", "principal"),
                early("key: principal|ip", "principal"),
                early("key: \"path:id\"", "pathVariable"),
                early("key: \"#request.principal.name\"", "principal"),
                early("key: \"#{#request.principal()?.name}\"", "principal"),
                early("key: \"#{#request?.pathVariable('id')}\"", "pathVariable"),
                early("cost: \"#request.isUserInRole('A') ? 1 : 2\"", "isUserInRole"),
                early("condition: \"#{#request.isUserInRole('INTERNAL')}\"", "isUserInRole"),
                bad(
                        "limiter.foo: 1",
                        "limiter.foo = \"1\"",
                        "unknown",
                        "enabled, storage, mode, max-keys, near-limit, rules-file, changes-file, web"),
                bad(
                        "limiter: { storage: redis, changes-file: /tmp/changes }",
                        "limiter.changes-file = \"/tmp/changes\"",
                        "kept in Redis"),
                bad(rule("key: ip\n      rollout: 10"), "orders.rollout = \"10\"", "such as 10%"),
                bad(rule("key: ip\n      rollout: 0%"), "orders.rollout = \"0%\"", "from 0.01% to 100%"),
                bad(rule("key: ip\n      rollout: 101%"), "orders.rollout", "from 0.01% to 100%"),
                bad(rule("rollout: 10%"), "orders.rollout", "needs a key"),
                bad(rule("key: method\n      rollout: 10%"), "orders.rollout", "needs a key"),
                bad(rule("candidate: { limit: 0 }"), "orders.candidate.limit = \"0\""),
                bad(rule("candidate: { paths: /a }"), "orders.candidate.paths", "unknown"),
                bad(rule("candidate:"), "orders.candidate", "keys of its own"),
                bad(rule("candidate: { unlimited: true }"), "orders.candidate", "what is different"),
                bad(rule("candidate: { limits: { a: { limit: 5 } } }"), "orders.candidate.limits.a", "only one limit"),
                bad(
                        "limiter: { rules: { orders: { paths: /a, limits: { a: { limit: 5, window: 1s } }, candidate: { limit: 5 } } } }",
                        "orders.candidate",
                        "named limits"),
                bad(
                        "limiter: { rules: { orders: { paths: /a, limits: { a: { limit: 5, window: 1s } }, candidate: { limits: { b: { limit: 5 } } } } } }",
                        "orders.candidate.limits.b",
                        "there are a"),
                bad(
                        "limiter: { rules: { orders: { paths: /a, limits: { a: { limit: 5, window: 1s, cost: 2 } },"
                                + " candidate: { limits: { a: { limit: 50, cost: 7 } } } } } }",
                        "orders.candidate.limits.a.cost = \"7\"",
                        "A cost is not allowed here",
                        "LIM-316"),
                cap("", "limit: 5, window: 1s"),
                cap("", "limit: 120, window: 1m"),
                cap("", "limit: 2, window: 1s, burst: 3"),
                cap("", "algorithm: concurrency, limit: 1"),
                cap(".tiers.gold", "limit: 2, window: 1s, key: ip, tier-by: ip, tiers: { gold: { limit: 3 } }"),
                cap(
                        ".tiers.gold.unlimited = \"true\"",
                        "limit: 2, window: 1s, tier-by: ip, tiers: { gold: { unlimited: true } }"),
                cap(".mode = ", "limit: 2, window: 1s, mode: shadow"),
                cap(".rollout = \"10%\"", "limit: 2, window: 1s, key: ip, rollout: 10%"),
                bad("limiter: { caps: { orders: { limit: 0, window: 1s } } }", "limiter.caps.orders.limit", "1 to"),
                bad("limiter: { caps: { orders: { limit: 1 } } }", "limiter.caps.orders", "Say limit and window"),
                bad("limiter: { caps: { orders: { limit: 1, windo: 1s } } }", "caps.orders.windo", "unknown"),
                bad(
                        "limiter: { caps: { my-orders: { limit: 1, window: 1s }, myOrders: { limit: 9, window: 1s } } }",
                        "LIM-104",
                        "written twice"),
                bad("limiter.web.foo: 1", "limiter.web.foo = \"1\"", "unknown", "default-limit, exclude"),
                bad("limiter.web.default-limit: { limit: 1, window: 1s, paths: /a }", "default-limit.paths", "unknown"),
                bad(
                        rule("limits: { a: { limit: 1, window: 1s, key: ip } }"),
                        "limiter.rules.orders.limits.a.key = \"ip\"",
                        "unknown",
                        "limit, window, algorithm, burst, buckets"),
                bad(
                        rule("limits: { a: { limit: 1, window: 1s } }"),
                        "limiter.rules.orders",
                        "a limit of its own and named limits"),
                bad(
                        ORDERS + "limits: { a: { limit: 0, window: 1s } } }",
                        "limiter.rules.orders.limits.a.limit = \"0\""),
                bad(rule("mode: loud"), "limiter.rules.orders.mode = \"loud\"", "enforce, shadow, off"),
                bad(rule("scope: world"), "limiter.rules.orders.scope = \"world\"", "rule, endpoint"),
                bad(
                        rule("headers: new"),
                        "limiter.rules.orders.headers = \"new\"",
                        "ietf, ietf-next, legacy, both, none"),
                bad(rule("methods: [GET, FETCH]"), "limiter.rules.orders.methods = \"GET, FETCH\"", "PATCH, POST"),
                bad(
                        "limiter.rules.orders: { limit: 1, window: 1s, methods: GET }",
                        "limiter.rules.orders.methods = \"GET\"",
                        "add paths"),
                bad("limiter.rules.orders: { limit: 1, window: 1s, paths: '/a/{x' }", "limiter.rules.orders.paths"),
                bad("limiter.rules.orders: { limit: 1, window: 1s, paths: '' }", "limiter.rules.orders.paths", "empty"),
                bad("limiter.web.exclude: '/a/{x'", "limiter.web.exclude", "/a/{x", "not a path pattern"),
                bad("limiter.rules.Orders: { limit: 1, window: 1s }", "limiter.rules.Orders (", "a small letter"),
                bad(ORDERS + "limits: { Fast: { limit: 1, window: 1s } } }", "orders.limits.Fast (", "a small letter"),
                bad(
                        ORDERS + "limits: { a-b: { limit: 1, window: 1s }, ab: { burst: 2 } } }",
                        "limiter.rules.orders.limits.ab (",
                        "the same limit as limiter.rules.orders.limits.a-b"),
                bad(rule("limits:"), "limiter.rules.orders.limits", "at least one name"),
                bad(rule("tiers:"), "limiter.rules.orders.tiers", "at least one name"),
                bad(rule("ban:"), "limiter.rules.orders.ban", "keys of its own: after, within, for"),
                bad("limiter.rules.orders:", "limiter.rules.orders", "keys of its own: limit, window"),
                bad("limiter.web.default-limit:", "limiter.web.default-limit", "keys of its own: limit, window"),
                bad(rule("align: first"), "limiter.rules.orders.align = \"first\""),
                bad(
                        "limiter.rules.orders: { limit: 1, window: 1s, phase: request, mode: off }",
                        "limiter.rules.orders.phase = \"request\""),
                bad(
                        "limiter.rules: { my-rule: { limit: 1, window: 1s }, my_rule: { burst: 2 } }",
                        "limiter.rules.my_rule",
                        "the same rule as limiter.rules.my-rule"),
                bad(
                        "limiter.rules: { a-b: { limit: 1, window: 1s }, aB: { burst: 2 } }",
                        "limiter.rules.aB (",
                        "the same rule as limiter.rules.a-b"),
                bad(
                        "limiter.rules: { a-b: { limit: 1, window: 1s }, '[ab]': { burst: 2 } }",
                        "limiter.rules.ab",
                        "the same rule as limiter.rules.a-b"),
                bad("limiter.rules.orders: 5", "limiter.rules.orders", "keys of its own: limit, window"),
                bad(
                        "limiter: { web.default-limit: { limit: 1, window: 1s },"
                                + " rules.default: { limit: 1, window: 1s } }",
                        "limiter.rules.default",
                        "name of limiter.web.default-limit"),
                bad("limiter.web.default-limit: { key: ip }", "limiter.web.default-limit", "limit is missing"),
                bad("limiter.storage: disk", "limiter.storage = \"disk\"", "one of: memory"),
                bad("limiter.mode: maybe", "limiter.mode = \"maybe\"", "enforce, shadow, off"),
                bad("limiter.max-keys: 0", "limiter.max-keys = \"0\"", "from 1 to 1000000000"),
                bad("limiter.web.status: 200", "limiter.web.status = \"200\"", "from 400 to 599"),
                bad("limiter.web.retry-after-jitter: 5", "limiter.web.retry-after-jitter = \"5\"", "ns us ms s m h d"),
                bad("limiter.enabled: maybe", "limiter.enabled = \"maybe\"", "true or false"));
    }

    private static Arguments cap(String where, String rule) {
        return bad(
                "limiter: { caps: { orders: { limit: 2, window: 1s } }, rules: { orders: { paths: /a, " + rule
                        + " } } }",
                "limiter.rules.orders" + where,
                "at most 2 in PT1S (limiter.caps.orders)");
    }

    private static String rule(String more) {
        return "limiter:\n  rules:\n    orders:\n      paths: /a\n      limit: 5\n      window: 1s\n      " + more;
    }

    private static Arguments wrongExpression(String setting, String... said) {
        String property = setting.substring(0, setting.indexOf(':'));
        List<String> all = new ArrayList<>(List.of(said));
        all.add("limiter.rules.orders." + property + " = \"");
        return arguments(rule(setting), all);
    }

    /** Variables that are unknown when the request arrives. */
    private static Arguments early(String setting, String never) {
        String property = setting.substring(0, setting.indexOf(':'));
        return bad(
                rule("phase: request\n      " + setting),
                "limiter.rules.orders." + property + " = \"",
                never + " is not known yet",
                "use phase: endpoint");
    }

    private static String ban(String ban) {
        return rule("ban: { " + ban + " }");
    }

    private static String calendar(String window) {
        return ORDERS + "limit: 5, algorithm: fixed-window, align: calendar, window: " + window + " }";
    }

    private static String tiers(String tiers) {
        return rule("tier-by: header:X-Plan\n      tiers: { " + tiers + " }");
    }

    private static String gold(String tier) {
        return "tiers: { gold: { " + tier + " } }\n      tier-by: header:X-Plan";
    }

    private static String namedTiers(String tiers) {
        return ORDERS + "limits: { burst: { limit: 1, window: 1s } }, tier-by: header:X-Plan, tiers: { " + tiers
                + " } }";
    }

    private static Arguments bad(String yaml, String... said) {
        return arguments(yaml, List.of(said));
    }

    private static Arguments inRedis(String yaml, String... said) {
        return bad("limiter.storage: redis\n" + yaml, said);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("badConfigurations")
    void isNamedWithWhatWouldBeRight(String yaml, List<String> said, CapturedOutput output) {
        Throwable failure = catchThrowable(() -> start(yaml).close());

        assertThat(failure).isNotNull();
        assertThat(output)
                .contains("APPLICATION FAILED TO START")
                .contains(said)
                .containsPattern("\\[LIM-[0-9]{3}]")
                .containsPattern("Action:\\s+LIM-[0-9]{3}: [A-Z]")
                .contains("[test.yml] - ");
    }

    static Stream<Arguments> suggestions() {
        return Stream.of(
                bad(rule("pathz: /b"), "LIM-101", "Did you mean paths?"),
                bad(rule("maxwait: 1s\n      chargeif: 'x'\n      conditon: 'y'"), "Did you mean condition?"),
                bad("limiter.rulez.orders.limit: 1", "LIM-101", "Did you mean rules?"),
                bad(rule("algorithm: token-buket"), "LIM-102", "Did you mean token-bucket?"),
                bad(rule("mode: enforced"), "LIM-102", "Did you mean enforce?"),
                bad(rule("mode: enf"), "LIM-102", "Did you mean enforce?"),
                bad(rule("algorithm: token"), "LIM-102", "Did you mean token-bucket?"),
                bad(rule("key: principle"), "LIM-301", "Did you mean principal?"),
                bad(rule("key: header"), "LIM-301", "Did you mean header:name?"),
                bad(rule("key: claim"), "LIM-301", "Did you mean claim:name?"),
                bad(rule("key: tennant"), "LIM-301", "Did you mean tenant?"),
                bad(rule("key: \"headers:X\""), "LIM-301", "Did you mean header:name?"),
                bad(rule("condition: \"#{#requst.path != '/'}\""), "LIM-302", "Did you mean request?"),
                bad(rule("condition: \"#{#request.pth != '/'}\""), "LIM-302", "Did you mean path?"),
                bad(rule("charge-if: \"#{#response.status = 401}\""), "LIM-302", "write == to compare"),
                bad(rule("charge-if: \"#{@tennant.is(#response)}\""), "LIM-302", "Did you mean tenant?"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("suggestions")
    void isFollowedByWhatToWriteInstead(String yaml, List<String> said, CapturedOutput output) {
        assertThat(catchThrowable(() -> start(yaml).close())).isNotNull();

        assertThat(output).contains(said);
    }

    /** YAML reads {@code 1,000} in braces as 1 and another key, which Spring Boot takes for a position in a list. */
    static Stream<Arguments> keysThatAreNoTexts() {
        return Stream.of(
                bad(ORDERS + "limit: 1,000, window: 1m }", "limiter.rules.orders[0]"),
                bad(ORDERS + "limit: 1,500, burst: 2,700, window: 1m }", "rules.orders[500]", "rules.orders[700]"),
                bad(ORDERS + "limits: { a: { limit: 1,000, window: 1m } } }", "limiter.rules.orders.limits.a[0]"),
                bad("limiter: { max-keys: 100,000 }", "limiter[0]"),
                bad(ORDERS + "limit: 1,089, window: 1m }", "limiter.rules.orders.089"),
                bad(rule("500: 5"), "limiter.rules.orders[500] = \"5\""),
                bad(rule("true: 5"), "limiter.rules.orders[true] = \"5\""),
                bad("limiter: { no: 5 }", "limiter[false] = \"5\""));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("keysThatAreNoTexts")
    void keyThatIsNoTextIsUnknown(String yaml, List<String> said, CapturedOutput output) {
        assertThat(catchThrowable(() -> start(yaml).close())).isNotNull();

        assertThat(output).contains(said).contains("This key is unknown", "[LIM-101]", "[test.yml] - ");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "'limiter[web][status]': 430",
                "'limiter.rules[1][limit]': 430\nlimiter.rules.1.window: 1m",
                "limiter.web.exclude: [/a, /b]\n---\nlimiter.web.exclude: /c",
                "limiter.web.exclude: /c\n---\nlimiter.web.exclude: [/a, /b]"
            })
    void keyThatIsKnownMayHaveBrackets(String yaml) {
        start(yaml).close();
    }

    @Test
    void variableNamedByANumberIsNoKey() {
        start("limiter.max-keys: 5", Map.of("LIMITER_0", "5")).close();
    }

    static Stream<Arguments> shapes() {
        return Stream.of(
                bad(rule("headers: [ietf, legacy]"), "limiter.rules.orders.headers (", "one of: ietf,"),
                bad(rule("headers: { style: ietf }"), "limiter.rules.orders.headers (", "one of: ietf,"),
                bad("limiter.enabled: [true]", "limiter.enabled (", "true or false"),
                bad("limiter.max-keys: [5]", "limiter.max-keys (", "a whole number"),
                bad(rule("condition: ['#request.path']"), "limiter.rules.orders.condition (", "a text"),
                bad("limiter.web.trusted-proxies: { a: 10.0.0.0/8 }", "limiter.web.trusted-proxies (", "list of texts"),
                bad("limiter.web.exclude: [[/a]]", "limiter.web.exclude[0] (", "a text"),
                bad(rule("key: { header: X-Api-Key }"), "limiter.rules.orders.key (", "a list of texts"),
                bad("limiter.rules.key: { pathz: /a }", "LIM-101", "Did you mean paths?"),
                bad("limiter.rules: [{ name: orders, limit: 5 }]", "limiter.rules (", "at least one name"),
                bad("limiter.rules: [orders, items]", "limiter.rules (", "at least one name"),
                bad("limiter.rules: orders", "limiter.rules = \"orders\"", "at least one name"),
                bad(rule("tiers: [{ limit: 9 }, { limit: 8 }]"), "limiter.rules.orders.tiers (", "at least one name"),
                bad(rule("tiers: gold"), "limiter.rules.orders.tiers = \"gold\"", "at least one name"),
                bad("limiter.rules.orders: [{ limit: 5, paths: /a }]", "limiter.rules.orders[0] (", "LIM-101"),
                bad(
                        ORDERS + "limits: [{ limit: 5, window: 1m }, { limit: 0, window: 1h }] }",
                        "limiter.rules.orders.limits.1.limit = \"0\"",
                        "LIM-107"),
                bad(
                        ORDERS + "limits: [{ limt: 5, window: 1m }, { limit: 5, window: 1m, algoritm: x }] }",
                        "limits[0].limt",
                        "Did you mean limit?",
                        "limits[1].algoritm",
                        "Did you mean algorithm?"),
                bad("limiter.web: [5]", "limiter.web[0]", "LIM-101"),
                bad(ORDERS + "limit: 100/m }", "limiter.rules.orders.limit = \"100/m\"", "a whole number"),
                bad("quota: 100/m\n" + ORDERS + "limit: '${quota}' }", "limit = \"100/m\"", "a whole number"),
                bad(ORDERS + "limit: 12345678901234567890 }", "from 1 to 1000000000000000", "LIM-107"),
                bad(ORDERS + "limit: -12345678901234567890 }", "from 1 to 1000000000000000", "LIM-107"),
                bad(ORDERS + "limit: 5, buckets: 99999999999 }", "from 1 to 1000.", "LIM-107"),
                bad("limiter.web.status: 99999999999", "at most 2147483647", "LIM-107"),
                bad("limiter.max-keys: 12345678901234567890", "at most 9223372036854775807", "LIM-107"),
                bad(ORDERS + "limit: '1,000' }", "a whole number from 1", "LIM-102"),
                bad(ORDERS + "limit: 5, window: 1s, cost: 99999999999999999999 }", "cost = ", "LIM-302"),
                bad(ORDERS + "limit: 5, window: 1s, cost: 3000000000 }", "cost = ", "LIM-209"),
                bad(ORDERS + "limit: 5, window: 1.5s }", "window = \"1.5s\"", "LIM-108"),
                bad(ORDERS + "limit: 5, window: 1h30m }", "window = \"1h30m\"", "LIM-108"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("shapes")
    void isToldWithWhatIsAllowed(String yaml, List<String> said, CapturedOutput output) {
        assertThat(catchThrowable(() -> start(yaml).close())).isNotNull();

        assertThat(output).contains(said);
    }

    @Test
    void listInThePlaceOfAValueIsToldOnce(CapturedOutput output) {
        assertThat(catchThrowable(() -> start("limiter.web.headers: [ietf, legacy]")))
                .isNotNull();

        assertThat(output.toString()).containsOnlyOnce("limiter.web.headers (").containsOnlyOnce("[LIM-102]");
    }

    @Test
    void allWrongValuesAreSaidAtOnce(CapturedOutput output) {
        String yaml = """
                limiter:
                  enabled: sure
                  max-keys: plenty
                  storag: redis
                  web:
                    status: teapot
                    headers: new
                  rules:
                    first: { paths: /a, limit: many, window: 1s, algorithm: none }
                    second: { paths: /b, limit: 100/m, pathz: /c, buckets: 1.5 }
                    third: 5
                """;

        assertThat(catchThrowable(() -> start(yaml).close())).isNotNull();

        String report = output.toString().substring(output.toString().indexOf("APPLICATION FAILED TO START"));
        for (String property : List.of(
                "limiter.enabled",
                "limiter.max-keys",
                "limiter.storag",
                "limiter.web.status",
                "limiter.web.headers",
                "limiter.rules.first.limit",
                "limiter.rules.first.algorithm",
                "limiter.rules.second.limit",
                "limiter.rules.second.pathz",
                "limiter.rules.second.buckets",
                "limiter.rules.third")) {
            assertThat(report).containsOnlyOnce("\n" + property + " ");
        }
    }

    @Test
    void isToldWithItsOwnPlace(CapturedOutput output) {
        String yaml = """
                limiter:
                  rules:
                    first: { limit: 1, window: 1s }
                    Second: { limit: 1, window: 1s }
                    thi-rd: { limit: 1, window: 1s }
                    thi_rd: { burst: 1 }
                """;

        assertThat(catchThrowable(() -> start(yaml).close())).isNotNull();

        assertThat(output)
                .containsPattern("limiter\\.rules\\.Second \\(.*test.yml] - 4:")
                .containsPattern("limiter\\.rules\\.thi_rd \\(.*test.yml] - 6:");
    }

    @Test
    void variableIsToldOnceForAllSpellings(CapturedOutput output) {
        String yaml = "limiter.rules: { my-rule: { limit: 1, window: 1s } }";

        assertThat(catchThrowable(() -> start(yaml, Map.of("LIMITER_RULES_MYRULE_LIMIT", "many"))
                        .close()))
                .isNotNull();

        assertThat(output.toString()).containsOnlyOnce("\"many\"").contains("LIMITER_RULES_MYRULE_LIMIT");
    }

    /** Spring Boot leaves such characters out. */
    static Stream<Arguments> names() {
        return Stream.of(
                bad("limiter.rules: { my rule: { limit: 1, window: 1s } }", "limiter.rules.my rule ("),
                bad("limiter.rules: { a+: { limit: 1, window: 1s }, a: { limit: 1, window: 1s } }", "rules.a+ ("),
                bad("limiter.rules: { '-a': { limit: 1, window: 1s } }", "limiter.rules.-a ("),
                bad(ORDERS + "limits: { per/s: { limit: 1, window: 1s } } }", "limits.per/s ("),
                bad(rule("tier-by: ip\n      tiers: { gold+: { unlimited: true } }"), "orders.tiers.gold+ ("),
                bad(
                        "limiter.web.defaultLimit.limits: { a b: { limit: 1, window: 1s } }",
                        "limiter.web.defaultLimit.limits.a b ("),
                bad(
                        "limiter.rules.a/b.limits: { 'c/d': { limit: 1, window: 1s } }",
                        "limiter.rules.a/b (",
                        "limiter.rules.a/b.limits.c/d ("),
                bad("limiter.caps: { a b: { limit: 1, window: 1s } }", "limiter.caps.a b ("),
                bad(rule("tier-by: ip\n      tiers: { no: { unlimited: true } }"), "orders.tiers[false] ("),
                bad("limiter.rules: { on: { limit: 1, window: 1s } }", "limiter.rules[true] ("),
                bad(ORDERS + "limits: { yes: { limit: 1, window: 1s } } }", "limits[true] ("));
    }

    @ParameterizedTest
    @ValueSource(strings = {"'on'", "'true'", "\"no\"", "y"})
    void wordThatYamlWouldReadAsTrueOrFalseIsANameInQuotes(String name) {
        start("limiter.rules: { " + name + ": { limit: 1, window: 1s } }").close();
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("names")
    void nameWithOtherCharactersIsTold(String yaml, List<String> said, CapturedOutput output) {
        assertThat(catchThrowable(() -> start(yaml).close())).isNotNull();

        assertThat(output).contains(said).contains("[LIM-103]", "[test.yml] - ");
    }

    @Test
    void ruleIsNotTakenForAnotherWhoseNameIsLikeItButForSomeLetters() {
        assertThat(catchThrowable(() -> start("limiter.rules: { für: { limit: 5, window: 1m }, fr: { limit: 6 } }")))
                .hasStackTraceContaining("limiter.rules.für: ");
    }

    @Test
    void isSaidOnce(CapturedOutput output) {
        String yaml = "limiter.rules: { my-rule: { limit: 1, window: 1s }, my_rule: { burst: 2 } }";

        assertThat(catchThrowable(() -> start(yaml).close())).isNotNull();

        assertThat(output.toString()).containsOnlyOnce("limiter.rules.my_rule (");
    }

    private static ConfigurableApplicationContext start(String yaml) {
        return start(yaml, Map.of());
    }

    @ParameterizedTest
    @ValueSource(strings = {"burst: ${QUOTA}", "mode: ${QUOTA}", "burst: ${NOPE:}", "buckets: ${NOPE:${QUOTA}}"})
    void placeholderOfNothingIsNoValue(String setting, CapturedOutput output) {
        assertThat(catchThrowable(
                        () -> start(rule(setting), Map.of("QUOTA", "")).close()))
                .isNotNull();

        assertThat(output)
                .contains("limiter.rules.orders." + setting.replace(": ", " = \"") + "\" (")
                .contains("There is no value here, or a placeholder gave none")
                .contains("[LIM-102]");
    }

    @ParameterizedTest
    @CsvSource({
        "limiter.rules.orders.limit, ${NOPE}, ${NOPE}",
        "limiter.rules.orders.mode, ${NOPE}, ${NOPE}",
        "limiter.rules.orders.window, ${NOPE}s, ${NOPE}",
        "limiter.rules.orders.paths, /orders/${NOPE}, ${NOPE}",
        "limiter.rules.orders.key, ${NOPE}, ${NOPE}",
        "limiter.rules.orders.key, 'header:${NOPE},ip', ${NOPE}",
        "limiter.rules.orders.allow, ${NOPE}, ${NOPE}",
        "limiter.max-keys, ${NOPE:${NEITHER}}, ${NEITHER}",
        "limiter.redis.key-secret, ${THE_SECRET_OF_LIMITS}, ${THE_SECRET_OF_LIMITS}",
        "limiter.redis.key-prefix, 'limiter:${NOPE}:', ${NOPE}",
        "limiter.redis.key-prefix, 'shop:${spring.application.name}:', ${spring.application.name}",
        "limiter.redis.url, 'redis://a:secret@${NOPE}', ${NOPE}",
        "limiter.changes-file, ${NOPE}/changes, ${NOPE}"
    })
    void placeholderWithoutAValueIsTold(String property, String value, String told, CapturedOutput output) {
        String yaml = rule("mode: enforce") + "\n" + property + ": '" + value + "'";

        assertThat(catchThrowable(() -> start(yaml).close())).isNotNull();

        assertThat(output)
                .contains(property + " = \"" + told + "\" (")
                .contains("The placeholder has no value")
                .contains("[LIM-106]");
    }

    /** YAML has numbers for names, too. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "limits: { 1: { limit: 1, window: 1s }, 60: { limit: 9, window: 1m } }",
                "limits: { 1: { limit: 1, window: 1s }, 2: { limit: 9, window: 1m } }",
                "limits: { 0: { limit: 1, window: 1s }, 60: { limit: 9, window: 1m } }",
                "limit: 1, window: 1s, tier-by: ip, tiers: { 1: { unlimited: true } }",
                "limits: { '0': { limit: 1, window: 1s } }",
                "limit: 1, window: 1s, tier-by: ip, tiers: { '0': { limit: 9 }, 1: { limit: 8 } }"
            })
    void numbersAreNames(String limits) {
        start(ORDERS.replace("paths: /a, ", "") + limits + " }").close();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "1: { limit: 5, window: 1s }",
                "'0': { limit: 5, window: 1s }",
                "1: { limit: 5, window: 1s }, 2: { limit: 6, window: 1s }"
            })
    void numbersAreNamesOfRules(String rules) {
        start("limiter.rules: { " + rules + " }").close();
    }

    @Test
    void numberInAVariableIsAName() {
        start(
                        "limiter.rules.orders: { limits: { '0': { limit: 1, window: 1s } } }",
                        Map.of("LIMITER_RULES_ORDERS_LIMITS_0_LIMIT", "5"))
                .close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"limiter: off", "limiter: on", "limiter: redis", "limiter: off\nlimiter.mode: shadow"})
    void valueInThePlaceOfAllKeysIsTold(String yaml, CapturedOutput output) {
        assertThat(catchThrowable(() -> start(yaml).close())).isNotNull();

        assertThat(output)
                .containsPattern("\nlimiter = \"(true|false|redis)\" \\(.*\\[test.yml] - 1:")
                .contains("keys of its own: enabled", "[LIM-102]");
    }

    /** Platforms set variables of their own. */
    @Test
    void variableInThePlaceOfAllKeysIsNone() {
        start("limiter.mode: shadow", Map.of("LIMITER", "off")).close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"web", "redis", "rules", "caps"})
    void valueInThePlaceOfKeysIsToldAlsoWhereAnotherSourceHasKeys(String section, CapturedOutput output) {
        String yaml =
                "limiter." + section + ": off\n---\nlimiter." + section + ": { orders: { limit: 1, window: 1s } }";
        if (section.equals("web")) {
            yaml = "limiter.web: off\n---\nlimiter.web: { status: 429 }";
        } else if (section.equals("redis")) {
            yaml = "limiter.redis: off\n---\nlimiter.redis: { timeout: 50ms }";
        }
        String documents = yaml;

        assertThat(catchThrowable(() -> start(documents).close())).isNotNull();

        assertThat(output).contains("\nlimiter." + section + " = \"false\" (", "[LIM-102]");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "limiter:",
                "limiter.rules:",
                "limiter: { mode: shadow, rules: }",
                "limiter.web:",
                "limiter.caps:",
                "limiter.redis:"
            })
    void allBelowASectionMayBeCommentedOut(String yaml) {
        start(yaml).close();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "max-wait: 1s, maxWait: 2s",
                "maxWait: 1s, max_wait: 2s",
                "on-failure: deny, onfailure: allow",
                "ban: { After: 5, after: 6, within: 1m, for: 1m }"
            })
    void keyInTwoSpellingsIsTold(String settings, CapturedOutput output) {
        assertThat(catchThrowable(() -> start(ORDERS + "key: ip, limit: 5, window: 1s, " + settings + " }")
                        .close()))
                .isNotNull();

        assertThat(output).contains("written twice", "[LIM-104]", "[test.yml] - 1:");
    }

    @Test
    void sectionInTwoSpellingsIsTold(CapturedOutput output) {
        String yaml = """
                limiter:
                  web:
                    default-limit: { limit: 5, window: 1s }
                    defaultLimit: { limit: 6 }
                """;

        assertThat(catchThrowable(() -> start(yaml).close())).isNotNull();

        assertThat(output).contains("written twice", "[LIM-104]");
    }

    @Test
    void anotherSourceMaySpellAKeyInItsOwnWay() {
        start("limiter: { max-keys: 5 }\n---\nlimiter: { maxKeys: 6 }").close();
    }

    @ParameterizedTest
    @CsvSource({"'\"0\"', true", "'\"off\"', true", "off, true", "'\"1\"', false", "0, false"})
    void switchIsAWordOfSpringBoot(String value, boolean off) {
        String yaml = "limiter: { enabled: " + value + ", max-keys: 0 }";
        assertThat(catchThrowable(() -> start(yaml).close()) == null).isEqualTo(off);
    }

    @Test
    void numberIsNoSwitch(CapturedOutput output) {
        assertThat(catchThrowable(() -> start("limiter.enabled: 0").close())).isNotNull();

        assertThat(output).contains("limiter.enabled = \"0\" (", "This must be true or false.");
    }

    /** The initializer of the rules file reads the switch before there are beans. */
    @ParameterizedTest
    @CsvSource({"flase, flase, LIM-102", "${NOPE}, ${NOPE}, LIM-106"})
    void unreadableSwitchIsTold(String value, String told, String code, CapturedOutput output) {
        assertThat(catchThrowable(() -> startWith(value))).isNotNull();

        assertThat(output).contains("limiter.enabled = \"" + told + "\"", "[" + code + "]");
    }

    @Test
    void numberThatAllReadIsNoSwitch(CapturedOutput output) {
        assertThat(catchThrowable(() -> startWith(0))).isNotNull();

        assertThat(output).contains("limiter.enabled = \"0\"", "This must be true or false.", "[LIM-102]");
    }

    private static void startWith(Object enabled) {
        SpringApplication application = new SpringApplication(Application.class);
        application.setWebApplicationType(WebApplicationType.NONE);
        application.setBannerMode(Banner.Mode.OFF);
        application.setRegisterShutdownHook(false);
        application.setDefaultProperties(Map.of("limiter.enabled", enabled));
        application.run().close();
    }

    @Test
    void variableMaySwitchOffByANumber() {
        start("limiter.max-keys: 0", Map.of("LIMITER_ENABLED", "0")).close();
    }

    @Test
    void escapedPlaceholderIsText() {
        start("limiter.redis.key-secret: 'abcdefghijklmnop\\${NOPE}'").close();
    }

    /** The variable comes first, and the value of a file behind it is not read. */
    @Test
    void emptyEnvironmentVariableIsNoUnknownKey(CapturedOutput output) {
        assertThat(catchThrowable(() ->
                        start("limiter.rules.api: { limit: 1, window: 1s }", Map.of("LIMITER_RULES_API_LIMIT", ""))))
                .isNotNull();

        assertThat(output)
                .contains("limiter.rules.api.limit = \"\" (\"LIMITER_RULES_API_LIMIT\" from")
                .contains("There is no value here")
                .doesNotContain("unknown");
    }

    /** Without a value, it would hide that of a file. */
    @ParameterizedTest
    @CsvSource({
        "limiter.web.deny, LIMITER_WEB_DENY",
        "limiter.storage, LIMITER_STORAGE",
        "limiter.mode, LIMITER_MODE",
        "limiter.rules.api.methods, LIMITER_RULES_API_METHODS",
    })
    void emptyEnvironmentVariableHidesNoValue(String key, String variable, CapturedOutput output) {
        String yaml = "limiter: { web: { deny: [192.0.2.7] }, rules: { api: { paths: /a, limit: 1, window: 1s } } }";

        assertThat(catchThrowable(() -> start(yaml, Map.of(variable, "")))).isNotNull();

        assertThat(output).contains(key + " = \"\" (\"" + variable + "\" from").contains("There is no value here");
    }

    @Test
    void environmentVariableIsThePlaceOfItsValueHoweverAFileSpellsTheName(CapturedOutput output) {
        assertThat(catchThrowable(() -> start(
                        "limiter.rules.api.limits: { per-sec: { limit: 1, window: 1s } }",
                        Map.of("LIMITER_RULES_API_LIMITS_PERSEC_LIMIT", "-1"))))
                .isNotNull();

        assertThat(output).contains("limits.per-sec.limit = \"-1\" (\"LIMITER_RULES_API_LIMITS_PERSEC_LIMIT\" from");
    }

    /** Platforms set variables such as the second for a service called limiter-web. */
    @Test
    void environmentVariableInThePlaceOfKeysIsToldWithItsValueAndName(CapturedOutput output) {
        Map<String, Object> variables = new LinkedHashMap<>();
        variables.put("LIMITER_WEB_PORT", "tcp://192.0.2.7:80");
        variables.put("LIMITER_WEB", "x");

        assertThat(catchThrowable(() -> start("limiter.mode: shadow", variables)))
                .isNotNull();

        assertThat(output)
                .contains("limiter.web = \"x\" (\"LIMITER_WEB\" from")
                .contains("This must have keys of its own: enabled, ")
                .doesNotContain("LIMITER_WEB_PORT");
    }

    private static ConfigurableApplicationContext start(String yaml, Map<String, Object> variables) {
        SpringApplication application = new SpringApplication(Application.class);
        application.setWebApplicationType(WebApplicationType.NONE);
        application.setBannerMode(Banner.Mode.OFF);
        application.setRegisterShutdownHook(false);
        application.addInitializers(context -> {
            load(yaml, context);
            context.getEnvironment()
                    .getPropertySources()
                    .addFirst(new SystemEnvironmentPropertySource("systemEnvironment", variables));
        });
        return application.run();
    }

    private static void load(String yaml, ConfigurableApplicationContext context) {
        try {
            new YamlPropertySourceLoader()
                    .load("test", new ByteArrayResource(yaml.getBytes(StandardCharsets.UTF_8), "test.yml"))
                    .forEach(context.getEnvironment().getPropertySources()::addFirst);
        } catch (IOException exception) {
            throw new UncheckedIOException(exception);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration(LimiterRulesAutoConfiguration.class)
    static class Application {

        @Bean
        KeyResolver tenant() {
            return context -> "acme";
        }

        @Bean
        KeySource claim() {
            return (name, context) -> name;
        }
    }
}
