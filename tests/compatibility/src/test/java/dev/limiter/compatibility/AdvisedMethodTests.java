package dev.limiter.compatibility;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.limiter.RateLimitExceededException;
import dev.limiter.test.WithVirtualTime;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.cache.CacheManager;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.Ordered;
import org.springframework.security.access.AccessDeniedException;
import org.springframework.security.authentication.TestingAuthenticationToken;
import org.springframework.security.core.AuthenticationException;
import org.springframework.security.core.context.SecurityContextHolder;

/** Where limits are among the other advice of a method, and how to move them. */
@SpringBootTest(
        classes = AdvisedMethods.Application.class,
        webEnvironment = WebEnvironment.NONE,
        properties = "spring.config.name=none")
@Tag("each-line")
@WithVirtualTime
class AdvisedMethodTests {

    @Autowired
    private AdvisedMethods methods;

    @Autowired
    private AdvisedMethods.Transactions transactions;

    @BeforeEach
    void forgetEarlierTests(@Autowired CacheManager caches) {
        caches.getCache("numbers").clear();
    }

    @AfterEach
    void logOut() {
        SecurityContextHolder.clearContext();
    }

    @Test
    void rejectedCallOpensNoTransaction() {
        int before = transactions.begun.get();

        assertTwoPermitted(methods::transactional);

        assertThat(transactions.begun).hasValue(before + 2);
    }

    @Test
    void callThatTheCacheAnswersCounts() {
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

    @Test
    void callThatIsNotAllowedDoesNotCount() {
        logIn("ROLE_USER");
        for (int i = 0; i < 3; i++) {
            assertThatThrownBy(methods::secured).isInstanceOf(AccessDeniedException.class);
        }

        logIn("ROLE_ADMIN");
        assertTwoPermitted(methods::secured);
    }

    /** As Spring does it: in the task. */
    @Test
    void otherAdviceStaysWhereItIs() {
        assertThatThrownBy(methods.securedAsync()::get)
                .isInstanceOf(ExecutionException.class)
                .hasCauseInstanceOf(AuthenticationException.class);
    }

    @Test
    void lastOrderIsWithinAllOthers() throws Exception {
        try (ConfigurableApplicationContext application = Applications.startWithoutWeb(
                AdvisedMethods.Application.class, "limiter.aspect.order=" + Ordered.LOWEST_PRECEDENCE)) {
            AdvisedMethods within = application.getBean(AdvisedMethods.class);

            assertTwoPermitted(within::transactional);
            assertThat(application.getBean(AdvisedMethods.Transactions.class).begun)
                    .hasValue(3);

            assertCacheHitsDoNotCount(within);

            within.async().get();
            within.async().get();
            assertThatThrownBy(within.async()::get)
                    .isInstanceOf(ExecutionException.class)
                    .hasCauseInstanceOf(RateLimitExceededException.class);
        }
    }

    @Test
    void cacheCanBeMovedOutsideAlone() {
        try (ConfigurableApplicationContext application =
                Applications.startWithoutWeb(AdvisedMethods.CacheOutside.class)) {
            AdvisedMethods within = application.getBean(AdvisedMethods.class);

            assertCacheHitsDoNotCount(within);
            assertTwoPermitted(within::transactional);
            assertThat(application.getBean(AdvisedMethods.Transactions.class).begun)
                    .hasValue(2);
        }
    }

    private static void assertCacheHitsDoNotCount(AdvisedMethods methods) {
        for (int i = 0; i < 3; i++) {
            assertThat(methods.cached(1)).isEqualTo(1);
        }
        assertThat(methods.cached(2)).isEqualTo(2);
        assertRejected(() -> methods.cached(3));
    }

    private static void logIn(String authority) {
        SecurityContextHolder.getContext().setAuthentication(new TestingAuthenticationToken("alice", "a", authority));
    }

    private static void assertTwoPermitted(Runnable call) {
        call.run();
        call.run();
        assertRejected(call::run);
    }

    private static void assertRejected(ThrowingCallable call) {
        assertThatThrownBy(call).isInstanceOf(RateLimitExceededException.class);
    }
}
