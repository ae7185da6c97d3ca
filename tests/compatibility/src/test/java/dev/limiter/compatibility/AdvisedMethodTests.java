package dev.limiter.compatibility;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.limiter.Algorithm;
import dev.limiter.RateLimitExceededException;
import dev.limiter.spring.annotation.RateLimiter;
import dev.limiter.test.WithVirtualTime;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.cache.CacheManager;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.cache.concurrent.ConcurrentMapCacheManager;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.core.Ordered;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.security.access.prepost.PreAuthorize;
import org.springframework.security.config.annotation.method.configuration.EnableMethodSecurity;
import org.springframework.security.core.AuthenticationException;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.SimpleTransactionStatus;

/** The order of limits among the other advice of a method, and how to change it. */
@SpringBootTest(
        classes = AdvisedMethodTests.Application.class,
        webEnvironment = WebEnvironment.NONE,
        properties = "spring.config.name=none")
@Tag("each-line")
@WithVirtualTime
class AdvisedMethodTests {

    @Autowired
    private AdvisedMethods methods;

    @Autowired
    private Transactions transactions;

    @BeforeEach
    void forgetEarlierTests(@Autowired CacheManager caches) {
        caches.getCache("numbers").clear();
    }

    @Test
    void rejectedCallOpensNoTransaction() {
        int before = transactions.begun.get();

        assertTwoPermitted(methods::transactional);

        assertThat(transactions.begun).hasValue(before + 2);
    }

    @Test
    void cachedCallCounts() {
        int before = methods.served();

        assertTwoPermitted(() -> methods.cached(1));

        assertThat(methods.served() - before).isEqualTo(1);
    }

    @Test
    void asyncCallIsRejectedBeforeItTakesAThread() throws Exception {
        int before = methods.served();

        assertThat(methods.async().get()).isNotEqualTo(Thread.currentThread().getName());
        assertThat(methods.async().get()).isNotNull();
        assertRejected(methods::async);

        assertThat(methods.served() - before).isEqualTo(2);
    }

    @Test
    void asyncCallWithoutResultIsRejectedWhereItIsMade() {
        assertTwoPermitted(methods::asyncWithoutResult);
    }

    @Test
    void asyncCallHoldsItsPermitUntilItsFutureIsDone() throws Exception {
        CompletableFuture<String> work = new CompletableFuture<>();
        CompletableFuture<String> running = methods.one(work);
        assertRejected(() -> methods.one(work));

        work.complete("done");
        assertThat(running.get()).isEqualTo("done");

        assertThat(methods.one(work).get()).isEqualTo("done");
    }

    /** Security is checked in the asynchronous task, as without limits. */
    @Test
    void otherAdviceStaysWhereItIs() {
        assertThatThrownBy(methods.securedAsync()::get)
                .isInstanceOf(ExecutionException.class)
                .hasCauseInstanceOf(AuthenticationException.class);
    }

    @Test
    void lastOrderIsWithinAllOthers() throws Exception {
        try (ConfigurableApplicationContext application =
                Applications.startWithoutWeb(Application.class, "limiter.aspect.order=" + Ordered.LOWEST_PRECEDENCE)) {
            AdvisedMethods within = application.getBean(AdvisedMethods.class);

            assertTwoPermitted(within::transactional);
            assertThat(application.getBean(Transactions.class).begun).hasValue(3);

            assertCacheHitsDoNotCount(within);

            within.async().get();
            within.async().get();
            assertThatThrownBy(within.async()::get)
                    .isInstanceOf(ExecutionException.class)
                    .hasCauseInstanceOf(RateLimitExceededException.class);
        }
    }

    @Test
    void onlyTheCacheCanBeMovedOutside() {
        try (ConfigurableApplicationContext application = Applications.startWithoutWeb(CacheOutside.class)) {
            AdvisedMethods within = application.getBean(AdvisedMethods.class);

            assertCacheHitsDoNotCount(within);
            assertTwoPermitted(within::transactional);
            assertThat(application.getBean(Transactions.class).begun).hasValue(2);
        }
    }

    private static void assertCacheHitsDoNotCount(AdvisedMethods methods) {
        for (int i = 0; i < 3; i++) {
            assertThat(methods.cached(1)).isEqualTo(1);
        }
        assertThat(methods.cached(2)).isEqualTo(2);
        assertRejected(() -> methods.cached(3));
    }

    private static void assertTwoPermitted(Runnable call) {
        call.run();
        call.run();
        assertRejected(call::run);
    }

    private static void assertRejected(ThrowingCallable call) {
        assertThatThrownBy(call).isExactlyInstanceOf(RateLimitExceededException.class);
    }

    /** Limited methods with other advice of Spring around them. Each permits two calls per hour. */
    static class AdvisedMethods {

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

        @Async
        @PreAuthorize("hasRole('ADMIN')")
        public CompletableFuture<String> securedAsync() {
            return CompletableFuture.completedFuture("never");
        }
    }

    /** Counts started transactions. */
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
