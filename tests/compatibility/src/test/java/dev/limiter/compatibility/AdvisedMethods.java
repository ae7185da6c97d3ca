package dev.limiter.compatibility;

import dev.limiter.Algorithm;
import dev.limiter.spring.annotation.RateLimiter;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.cache.concurrent.ConcurrentMapCacheManager;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.security.access.prepost.PreAuthorize;
import org.springframework.security.config.annotation.method.configuration.EnableMethodSecurity;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.SimpleTransactionStatus;

/** Limited methods with other advice of Spring around them. Each permits two calls an hour. */
class AdvisedMethods {

    private final AtomicInteger served = new AtomicInteger();

    public int served() {
        return served.get();
    }

    @Transactional
    @RateLimiter(limit = 2, window = "1h")
    public void transactional() {
        served.incrementAndGet();
    }

    @Cacheable("numbers")
    @RateLimiter(limit = 2, window = "1h")
    public int cached(int number) {
        served.incrementAndGet();
        return number;
    }

    @Async
    @RateLimiter(limit = 2, window = "1h")
    public CompletableFuture<String> async() {
        served.incrementAndGet();
        return CompletableFuture.completedFuture(Thread.currentThread().getName());
    }

    @Async
    @RateLimiter(limit = 2, window = "1h")
    public void asyncWithoutResult() {
        served.incrementAndGet();
    }

    @Async
    @RateLimiter(algorithm = Algorithm.CONCURRENCY, limit = 1)
    public CompletableFuture<String> one(CompletableFuture<String> result) {
        return result;
    }

    @PreAuthorize("hasRole('ADMIN')")
    @RateLimiter(limit = 2, window = "1h")
    public void secured() {
        served.incrementAndGet();
    }

    @Async
    @PreAuthorize("hasRole('ADMIN')")
    public CompletableFuture<String> securedAsync() {
        return CompletableFuture.completedFuture("never");
    }

    /** Counts the transactions that were begun. */
    static class Transactions implements PlatformTransactionManager {

        final AtomicInteger begun = new AtomicInteger();

        @Override
        public TransactionStatus getTransaction(TransactionDefinition definition) {
            begun.incrementAndGet();
            return new SimpleTransactionStatus();
        }

        @Override
        public void commit(TransactionStatus status) {}

        @Override
        public void rollback(TransactionStatus status) {}
    }

    @SpringBootConfiguration
    @EnableAutoConfiguration
    @EnableAsync
    @EnableMethodSecurity
    @EnableTransactionManagement
    @Import({AdvisedMethods.class, Transactions.class})
    static class WithoutCaching {

        @Bean
        ConcurrentMapCacheManager caches() {
            return new ConcurrentMapCacheManager();
        }
    }

    @EnableCaching
    static class Application extends WithoutCaching {}

    @EnableCaching(order = 0)
    static class CacheOutside extends WithoutCaching {}
}
