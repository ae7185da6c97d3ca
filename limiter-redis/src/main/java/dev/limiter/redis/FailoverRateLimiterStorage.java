package dev.limiter.redis;

import dev.limiter.OnFailure;
import dev.limiter.RateLimiterStorage;
import dev.limiter.Rule;
import java.util.function.Function;

/**
 * Decides in Redis, and goes on without it while that fails: see {@link
 * dev.limiter.failover.FailoverRateLimiterStorage}, which is the same for any remote storage. Applications name this
 * one where limits are in Redis.
 */
public final class FailoverRateLimiterStorage extends dev.limiter.failover.FailoverRateLimiterStorage {

    private FailoverRateLimiterStorage(Builder builder) {
        super(builder);
    }

    /**
     * @param redis where decisions are made, and closed when this is
     * @param local where they are made otherwise; not closed
     */
    public static Builder builder(RedisRateLimiterStorage redis, RateLimiterStorage local) {
        return new Builder(redis, local);
    }

    /** Options. Not thread-safe. */
    public static final class Builder extends dev.limiter.failover.FailoverRateLimiterStorage.Builder {

        private Builder(RedisRateLimiterStorage redis, RateLimiterStorage local) {
            super(redis, local);
        }

        @Override
        public Builder onFailure(Function<Rule, OnFailure> onFailure) {
            super.onFailure(onFailure);
            return this;
        }

        @Override
        public Builder listener(dev.limiter.failover.StorageListener listener) {
            super.listener(listener);
            return this;
        }

        @Override
        public Builder instances(int instances) {
            super.instances(instances);
            return this;
        }

        @Override
        public FailoverRateLimiterStorage build() {
            return new FailoverRateLimiterStorage(this);
        }
    }
}
