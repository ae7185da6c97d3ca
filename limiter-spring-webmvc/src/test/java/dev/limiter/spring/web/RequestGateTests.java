package dev.limiter.spring.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.limiter.Algorithm;
import dev.limiter.Charge;
import dev.limiter.Decision;
import dev.limiter.RateLimiterStorage;
import dev.limiter.RateLimiters;
import dev.limiter.Rule;
import dev.limiter.TimeSource;
import dev.limiter.spring.address.AddressSettings;
import dev.limiter.spring.address.ClientAddresses;
import dev.limiter.spring.compile.RateLimitRule;
import dev.limiter.spring.decide.ApplicableRules;
import dev.limiter.spring.decide.DecisionReports;
import dev.limiter.spring.decide.PermitHolders;
import dev.limiter.spring.decide.RuleDecider;
import dev.limiter.spring.key.KeyHash;
import dev.limiter.spring.rule.HeaderStyle;
import dev.limiter.spring.rule.RuleOptions;
import dev.limiter.testkit.Conditions;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.support.StaticListableBeanFactory;
import org.springframework.mock.web.MockAsyncContext;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;
import org.springframework.web.cors.CorsConfigurationSource;
import org.springframework.web.servlet.ModelAndViewDefiningException;

/** A request that waits for the only permit, and its dispatches. The handler runs only with the permit. */
class RequestGateTests {

    private final RateLimitRule pool = TestRules.inForce(TestRules.rule("pool", "/pool")
                    .limit(1L, null, Algorithm.CONCURRENCY, null, null)
                    .set(RuleOptions.MAX_WAIT, "1h"))
            .current()
            .rules()
            .get(0);
    private final RateLimiters limiters = RateLimiters.builder().build();
    private final RuleDecider decider = decider(limiters);
    private final RequestGate gate = gate(decider);
    private final ServletCurrentRequest requests =
            new ServletCurrentRequest(new ClientAddresses(AddressSettings.DEFAULT));
    private final Filter filter = new RateLimitFilter(requests, decider, null);
    private final WaitingInterceptor waiting = new WaitingInterceptor(gate);
    private final MockHttpServletRequest request = new MockHttpServletRequest("GET", "/pool");
    private final MockHttpServletResponse response = new MockHttpServletResponse();
    private Decision held;

    @BeforeEach
    void takeThePermit() {
        held = limiters.tryAcquire(pool.rule(), "");
        assertThat(held.permitted()).isTrue();
        request.setAsyncSupported(true);
    }

    @AfterEach
    void close() {
        limiters.close();
    }

    private static RuleDecider decider(RateLimiters limiters) {
        return new RuleDecider(
                limiters,
                limiters.storage(),
                new DecisionReports(List.of(), List.of(), KeyHash.with("secret")),
                new PermitHolders(TimeSource.system()));
    }

    private static RequestGate gate(RuleDecider decider) {
        return new RequestGate(
                decider,
                new RejectionDispatcher(
                        (request, response, decision) -> response.setStatus(429),
                        decider,
                        HeaderStyle.IETF,
                        new StaticListableBeanFactory().getBeanProvider(CorsConfigurationSource.class)),
                null);
    }

    /** Dispatches the request to the endpoint. */
    private void arrive(HttpServletRequest current, HttpServletResponse answer) throws IOException {
        ServletRequestDecisions decisions = requests.of(current, answer);
        decisions.endpointDecided();
        assertThat(gate.permits(ApplicableRules.of(List.of(pool)), "GET /pool", decisions, current, answer))
                .isTrue();
        assertThat(limiters.waiting()).isOne();
    }

    private void follow(FilterChain chain) throws Exception {
        filter.doFilter(request, response, chain);
    }

    /** Suspends the request. */
    private MockAsyncContext suspend() throws Exception {
        follow((current, answer) -> {
            arrive((HttpServletRequest) current, (HttpServletResponse) answer);
            assertThatThrownBy(() -> passes((HttpServletRequest) current, (HttpServletResponse) answer))
                    .isInstanceOf(ModelAndViewDefiningException.class);
        });
        assertThat(request.isAsyncStarted()).isTrue();
        return (MockAsyncContext) request.getAsyncContext();
    }

    private boolean passes(HttpServletRequest current, HttpServletResponse answer) throws Exception {
        return waiting.preHandle(current, answer, this);
    }

    /** Reports that the client has disconnected like Tomcat does: first to Spring MVC. */
    private void fail(MockAsyncContext context) throws IOException {
        AsyncEvent event = new AsyncEvent(context, request, response, new IOException("Stream reset"));
        for (AsyncListener listener : List.copyOf(context.getListeners())) {
            listener.onError(event);
        }
    }

    /** Returns whether the handler of the next dispatch runs. */
    private boolean passesWhenDispatched(DispatcherType type) throws Exception {
        request.setAsyncStarted(false);
        request.setDispatcherType(type);
        AtomicBoolean passes = new AtomicBoolean();
        follow((current, answer) -> {
            try {
                passes.set(passes((HttpServletRequest) current, (HttpServletResponse) answer));
                assertThat(limiters.peek(pool.rule(), "").permitted()).isFalse();
            } catch (Exception failure) {
                throw new AssertionError(failure);
            }
        });
        return passes.get();
    }

    private void assertFree() {
        assertThat(limiters.waiting()).isZero();
        assertThat(limiters.peek(pool.rule(), "").permitted()).isTrue();
    }

    @Test
    void doesNotPassOnceItsClientIsGone() throws Exception {
        MockAsyncContext context = suspend();
        fail(context);
        assertThat(context.getDispatchedPath()).isNotNull();
        assertThat(limiters.waiting()).isZero();
        assertThat(passesWhenDispatched(DispatcherType.ASYNC)).isFalse();
        held.close();
        assertFree();
    }

    /** Another request has taken the permit in the meantime. */
    @Test
    void doesNotPassWhereItsClientIsGoneBeforeItComesToItsTurn() throws Exception {
        MockAsyncContext context = suspend();
        held.close();
        Conditions.await(() -> context.getDispatchedPath() != null);
        fail(context);
        held = limiters.tryAcquire(pool.rule(), "");
        assertThat(held.permitted()).isTrue();
        assertThat(passesWhenDispatched(DispatcherType.ASYNC)).isFalse();
        held.close();
        assertFree();
    }

    /** Later interceptors may write the response themselves, so that passwords could be guessed without limit. */
    @Test
    void isRejectedBeforeItGoesOnWhereTheStorageIsRemote() throws Exception {
        RateLimitRule guesses = TestRules.inForce(TestRules.rule("guesses", "/pool")
                        .limit(1L, "1h", Algorithm.TOKEN_BUCKET, null, null)
                        .set(RuleOptions.MAX_WAIT, "1s"))
                .current()
                .rules()
                .get(0);
        try (RateLimiters remote = new RateLimiters(new RemoteStorage(limiters.storage()))) {
            assertThat(permits(remote, guesses)).isTrue();
            assertThat(permits(remote, guesses)).isFalse();
            assertThat(response.getStatus()).isEqualTo(429);
        }
    }

    private boolean permits(RateLimiters limiters, RateLimitRule rule) throws IOException {
        MockHttpServletRequest guess = new MockHttpServletRequest("GET", "/pool");
        guess.setAsyncSupported(true);
        RequestGate gate = gate(decider(limiters));
        return gate.permits(
                ApplicableRules.of(List.of(rule)), "GET /pool", requests.of(guess, response), guess, response);
    }

    /** Decides on another thread. */
    private record RemoteStorage(RateLimiterStorage storage) implements RateLimiterStorage {

        @Override
        public boolean isRemote() {
            return true;
        }

        @Override
        public CompletionStage<Decision> decideAsync(List<Charge> charges) {
            return CompletableFuture.supplyAsync(() -> decide(charges));
        }

        @Override
        public Decision decide(List<Charge> charges) {
            return storage.decide(charges);
        }

        @Override
        public Decision peek(List<Charge> charges) {
            return storage.peek(charges);
        }

        @Override
        public void reset(Rule rule, String key) {
            storage.reset(rule, key);
        }

        @Override
        public long size() {
            return storage.size();
        }
    }

    @Test
    void releasesWhatARequestHoldsThatItsContainerForgets() throws Exception {
        held.close();
        AtomicBoolean forgotten = new AtomicBoolean();
        MockHttpServletRequest asynchronous = new MockHttpServletRequest("GET", "/pool") {
            @Override
            public AsyncContext getAsyncContext() {
                return new MockAsyncContext(this, response) {
                    @Override
                    public long getTimeout() {
                        if (forgotten.get()) {
                            throw new IllegalStateException("Recycled");
                        }
                        return super.getTimeout();
                    }
                };
            }
        };
        asynchronous.setAsyncSupported(true);
        filter.doFilter(asynchronous, response, (current, answer) -> {
            HttpServletRequest http = (HttpServletRequest) current;
            HttpServletResponse own = (HttpServletResponse) answer;
            assertThat(gate.permits(ApplicableRules.of(List.of(pool)), "GET /pool", requests.of(http, own), http, own))
                    .isTrue();
            http.startAsync();
        });
        assertThat(limiters.peek(pool.rule(), "").permitted()).isFalse();

        forgotten.set(true);

        Conditions.await(() -> limiters.peek(pool.rule(), "").permitted());
        filter.destroy();
    }

    /** Some containers render the error page before the failed dispatch has returned. */
    @Test
    void aPageAboutAnEarlierFailureDoesNotWait() throws Exception {
        AtomicBoolean passes = new AtomicBoolean();
        follow((current, answer) -> {
            arrive((HttpServletRequest) current, (HttpServletResponse) answer);
            request.setDispatcherType(DispatcherType.ERROR);
            filter.doFilter(current, answer, (page, same) -> {
                assertThat(limiters.waiting()).isZero();
                request.setDispatcherType(DispatcherType.FORWARD);
                try {
                    passes.set(passes((HttpServletRequest) page, (HttpServletResponse) same));
                } catch (Exception failure) {
                    throw new AssertionError(failure);
                }
            });
        });
        assertThat(passes).isTrue();
        held.close();
        assertFree();
    }

    /** Forwards like Spring Boot's filter for error pages in a container that Spring Boot does not start. */
    @Test
    void aPageThatAFilterOutsideForwardsToIsFree() throws Exception {
        follow((current, answer) -> {});
        request.setDispatcherType(DispatcherType.FORWARD);
        AtomicBoolean open = new AtomicBoolean(true);
        follow((page, answer) -> open.set(requests.of((HttpServletRequest) page, (HttpServletResponse) answer)
                .isEndpointOpen()));
        assertThat(open).isFalse();
    }
}
