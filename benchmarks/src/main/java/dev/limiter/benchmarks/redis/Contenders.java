package dev.limiter.benchmarks.redis;

import dev.limiter.Charge;
import dev.limiter.Decision;
import dev.limiter.Limit;
import dev.limiter.RateLimiters;
import dev.limiter.Rule;
import dev.limiter.redis.LettuceRedis;
import dev.limiter.redis.RedisRateLimiterStorage;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/** The contenders of a comparison on one server, each with its own connection. They are closed together. */
final class Contenders implements AutoCloseable {

    /** The number of keys of each contender, numbered from 0. */
    static final int KEYS = 1_001;

    /** Long enough that a busy machine rejects no request. */
    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    private final LocalRedis server;
    private final Peers peers;
    private final List<AutoCloseable> opened = new ArrayList<>();

    Contenders(LocalRedis server) {
        this.server = server;
        this.peers = new Peers(server);
        opened.add(peers);
    }

    Contender empty() {
        return new Contender("one empty call: an EVALSHA that returns 1", peers.empty());
    }

    /** A limit: permits per window, for a rule of that name. */
    record Terms(String rule, long limit, Duration window) {}

    /** Returns every algorithm, to be created when it is measured. */
    List<Supplier<Contender>> ours(Terms terms) {
        long limit = terms.limit;
        Duration window = terms.window;
        return List.of(
                () -> tokenBucket(terms),
                () -> limiter("LEAKY_BUCKET", terms, Limit.leakyBucket(limit, window)),
                () -> limiter("FIXED_WINDOW", terms, Limit.fixedWindow(limit, window)),
                () -> limiter("SLIDING_WINDOW_COUNTER, 10 buckets", terms, Limit.slidingWindowCounter(limit, window)),
                () -> limiter(
                        "SLIDING_WINDOW_COUNTER, 1 bucket",
                        terms,
                        Limit.slidingWindowCounter(limit, window).buckets(1)),
                () -> limiter("SLIDING_WINDOW_LOG", terms, Limit.slidingWindowLog(limit, window)));
    }

    List<Supplier<Contender>> peers(Terms terms) {
        return List.of(
                () -> new Contender("bucket4j", peers.bucket4j(terms)),
                () -> new Contender("Redisson (returns only true or false)", peers.redisson(terms)),
                () -> new Contender("Spring Cloud Gateway's script (counts whole seconds)", peers.gateway(terms)));
    }

    Contender tokenBucket(Terms terms) {
        return limiter("TOKEN_BUCKET", terms, Limit.tokenBucket(terms.limit, terms.window));
    }

    Contender held(Terms terms) {
        return limiter("CONCURRENCY, held", terms, Limit.concurrency(terms.limit));
    }

    private Contender limiter(String name, Terms terms, Limit limit) {
        RateLimiters limiters = limiters(0);
        Rule rule = Rule.of(terms.rule, limit);
        String[] keys = keys("");
        return ours(name, key -> isPermitted(limiters.tryAcquire(rule, keys[key])));
    }

    /** Takes a permit and releases it in Redis; only the first is waited for. */
    Contender released(Terms terms) {
        RateLimiters limiters = limiters(0);
        Rule rule = Rule.of(terms.rule, Limit.concurrency(terms.limit));
        String[] keys = keys("");
        return ours("CONCURRENCY, taken and released", key -> {
            try (Decision decision = limiters.tryAcquire(rule, keys[key])) {
                return isPermitted(decision);
            }
        });
    }

    Contender threeRules(Terms terms) {
        RateLimiters limiters = limiters(0);
        List<Rule> rules = IntStream.range(0, 3)
                .mapToObj(i -> Rule.of(terms.rule + "-" + i, Limit.tokenBucket(terms.limit, terms.window)))
                .toList();
        String[] keys = keys("");
        return ours("TOKEN_BUCKET, three rules in one decision", key -> {
            Charge[] charges = new Charge[rules.size()];
            for (int i = 0; i < charges.length; i++) {
                charges[i] = rules.get(i).charge(keys[key]);
            }
            return isPermitted(limiters.tryAcquire(charges));
        });
    }

    /** Takes a share of the limit in advance. */
    Contender leased(Terms terms) {
        RateLimiters limiters = limiters(5);
        Rule rule = Rule.of(terms.rule, Limit.tokenBucket(terms.limit, terms.window));
        String[] keys = keys("");
        return ours(
                "TOKEN_BUCKET, lease: 5%%, %,d per second".formatted(terms.limit),
                key -> isPermitted(limiters.tryAcquire(rule, keys[key])));
    }

    private static Contender ours(String name, Contender.Decider decider) {
        return new Contender("**" + name + "**", decider);
    }

    private RateLimiters limiters(int leasePercent) {
        RateLimiters limiters = limiters(new LettuceRedis(server.connect()), leasePercent);
        opened.add(limiters);
        return limiters;
    }

    static RateLimiters limiters(LettuceRedis redis, int leasePercent) {
        return new RateLimiters(RedisRateLimiterStorage.builder(redis)
                .timeout(TIMEOUT)
                .lease(rule -> leasePercent)
                .build());
    }

    /** Reads everything that a caller may read, and returns whether the decision is permitted. */
    static boolean isPermitted(Decision decision) {
        boolean permitted = decision.permitted();
        if (decision.remaining() < 0
                || decision.resetAfter().isNegative()
                || permitted && decision.retryAfter().isPresent()) {
            throw new IllegalStateException("Impossible decision: " + decision);
        }
        return permitted;
    }

    static String[] keys(String prefix) {
        return IntStream.range(0, KEYS)
                .mapToObj(number -> prefix + "client-" + number)
                .toArray(String[]::new);
    }

    static byte[][] bytes(String[] names) {
        byte[][] bytes = new byte[names.length][];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = names[i].getBytes(StandardCharsets.UTF_8);
        }
        return bytes;
    }

    @Override
    public void close() throws Exception {
        for (AutoCloseable each : opened) {
            each.close();
        }
    }
}
