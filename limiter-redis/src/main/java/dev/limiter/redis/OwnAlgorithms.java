package dev.limiter.redis;

import dev.limiter.Algorithm;
import dev.limiter.RateLimiterFactory;
import dev.limiter.RateLimiterStrategy;
import dev.limiter.redis.script.LuaAlgorithm;
import dev.limiter.redis.script.LuaAlgorithms;
import java.util.ArrayList;
import java.util.List;

/** Finds the algorithms among an application's strategies of which it brings scripts. */
final class OwnAlgorithms {

    private OwnAlgorithms() {}

    /**
     * The algorithms that scripts are to know.
     *
     * @throws IllegalArgumentException if a strategy is neither the library's nor a {@link RedisStrategy}, or its script
     *     lacks a part
     */
    static LuaAlgorithms of(RateLimiterFactory strategies) {
        List<LuaAlgorithm> own = new ArrayList<>();
        for (Algorithm algorithm : Algorithm.values()) {
            if (strategies.supports(algorithm)) {
                RateLimiterStrategy strategy = strategies.strategy(algorithm);
                if (strategy instanceof RedisStrategy scripted) {
                    own.add(own(scripted));
                } else if (!strategy.getClass().getPackageName().equals("dev.limiter.algorithm")) {
                    throw new IllegalArgumentException(strategy.getClass().getName()
                            + " is the application's own strategy for " + algorithm
                            + ", which cannot run in Redis without a script. Make it a "
                            + RedisStrategy.class.getSimpleName() + ", remove it, or use storage: memory.");
                }
            }
        }
        return own.isEmpty() ? LuaAlgorithms.LIBRARY : new LuaAlgorithms(own);
    }

    private static LuaAlgorithm own(RedisStrategy strategy) {
        try {
            return LuaAlgorithm.own(strategy.algorithm(), strategy.script(), strategy::terms);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(strategy.getClass().getName() + ": " + e.getMessage(), e);
        }
    }
}
