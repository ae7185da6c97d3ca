package dev.limiter.webflux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.limiter.RateLimitExceededException;
import dev.limiter.spring.RateLimitTemplate;
import dev.limiter.spring.annotation.RateLimiter;
import dev.limiter.spring.decide.PermitHolders;
import dev.limiter.testkit.Conditions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Phaser;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.aopalliance.intercept.MethodInterceptor;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.reactivestreams.Subscription;
import org.springframework.aop.Advisor;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.NameMatchMethodPointcut;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import reactor.core.Disposable;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Schedulers;

/** Methods that return publishers, in an application without a web server. Each test has a key of its own. */
@org.junit.jupiter.api.Timeout(60)
class ReactiveMethodsTests {

    private static final int LIMIT = 10;

    private static final Applications applications = new Applications();
    private static Service service;
    private static RateLimitTemplate limits;
    private static PermitHolders holders;
    private static AtomicInteger advised;

    @BeforeAll
    static void start() {
        ConfigurableApplicationContext context =
                applications.start(Methods.class, """
                limiter.rules:
                  window: {limit: 10, window: 1h, algorithm: fixed-window, scope: rule, key: "#id"}
                  flight: {limit: 2, algorithm: concurrency, scope: rule, key: "#id"}
                  queue: {limit: 1, algorithm: concurrency, scope: rule, key: "#id", max-wait: 1m}
                  turns: {limit: 1, window: 10s, scope: rule, key: "#id", max-wait: 1h}
                  soon: {limit: 1, window: 50ms, scope: rule, key: "#id", max-wait: 1m}
                  result: {limit: 10, window: 1h, algorithm: fixed-window, scope: rule, key: "#id", charge-if: "#{#result == 'bad'}"}
                  failed: {limit: 10, window: 1h, algorithm: fixed-window, scope: rule, key: "#id", charge-if: failed}
                  once: {limit: 1, window: 1h, algorithm: fixed-window, scope: rule, key: "#id"}
                """, "--spring.main.web-application-type=none");
        service = context.getBean(Service.class);
        limits = context.getBean(RateLimitTemplate.class);
        holders = context.getBean(PermitHolders.class);
        advised = context.getBean(Methods.class).advised;
    }

    @AfterAll
    static void stop() {
        applications.close();
    }

    @Test
    void eachSubscriptionTakesAPermit() {
        Mono<String> call = service.window("twice", Mono.just("x"));
        assertThat(taken("window", "twice")).isZero();
        assertThat(call.block()).isEqualTo("x");
        assertThat(call.block()).isEqualTo("x");
        assertThat(taken("window", "twice")).isEqualTo(2);
    }

    @Test
    void retryAndRepeatTakeAPermitEachTime() {
        AtomicInteger runs = new AtomicInteger();
        assertThatThrownBy(service.window("retry", Mono.error(() -> {
                            runs.incrementAndGet();
                            return new IllegalStateException("on purpose");
                        }))
                        .retry(2)::block)
                .hasMessage("on purpose");
        assertThat(runs).hasValue(3);
        assertThat(taken("window", "retry")).isEqualTo(3);
        assertThat(service.window("repeat", Mono.just("x"))
                        .repeat(2)
                        .collectList()
                        .block())
                .hasSize(3);
        assertThat(taken("window", "repeat")).isEqualTo(3);
        assertThat(service.many("many", Flux.just("a", "b"))
                        .repeat(2)
                        .collectList()
                        .block())
                .hasSize(6);
        assertThat(taken("window", "many")).isEqualTo(3);
    }

    @Test
    void rejectionIsAnErrorOfTheSubscription() {
        Mono<String> call = service.window("rejected", Mono.just("x"));
        for (int i = 0; i < LIMIT; i++) {
            call.block();
        }
        assertThatThrownBy(call::block).isInstanceOf(RateLimitExceededException.class);
        assertThatThrownBy(() -> service.many("rejected", Flux.just("x")).blockLast())
                .isInstanceOf(RateLimitExceededException.class);
        assertThat(taken("window", "rejected")).isEqualTo(LIMIT);
    }

    @Test
    void subscriberThatCancelsAtOnceTakesNothing() {
        service.window("at-once", Mono.just("x")).subscribe(new BaseSubscriber<>() {
            @Override
            protected void hookOnSubscribe(Subscription subscription) {
                subscription.cancel();
            }
        });
        service.many("at-once", Flux.just("x")).takeUntilOther(Mono.just("now")).blockLast();
        assertThat(taken("window", "at-once")).isZero();
        service.flight("at-once", Mono.never()).subscribe(new BaseSubscriber<>() {
            @Override
            protected void hookOnSubscribe(Subscription subscription) {
                subscription.cancel();
            }
        });
        assertThat(held("flight", "at-once")).isZero();
    }

    @Test
    void cancelledInTheQueueTakesNothing() {
        Sinks.Empty<String> end = Sinks.empty();
        Disposable first = service.queue("queue", end.asMono()).subscribe();
        AtomicInteger begun = new AtomicInteger();
        Disposable second = service.queue("queue", Mono.<String>never().doOnSubscribe(s -> begun.incrementAndGet()))
                .subscribe();
        second.dispose();
        assertThat(held("queue", "queue")).isOne();
        end.tryEmitEmpty();
        Conditions.await(first::isDisposed);
        assertThat(held("queue", "queue")).isZero();
        assertThat(limits.peek("queue", "queue").remaining()).isOne();
        assertThat(begun).hasValue(0);

        service.turns("turns", Mono.just("x")).block();
        for (int i = 0; i < 3; i++) {
            service.turns("turns", Mono.just("x")).subscribe().dispose();
        }
        assertThat(limits.peek("turns", "turns").retryAfter().orElseThrow())
                .isLessThanOrEqualTo(Duration.ofSeconds(10));
    }

    @ParameterizedTest
    @ValueSource(strings = {"complete", "empty", "error", "throws", "timeout", "dispose", "null"})
    void permitOfAMonoEndsWithIt(String way) {
        AtomicInteger during = new AtomicInteger();
        Mono<String> counted = Mono.defer(() -> {
            during.set((int) held("flight", way));
            return switch (way) {
                case "complete" -> Mono.just("x");
                case "empty" -> Mono.empty();
                case "error" -> Mono.error(new IllegalStateException("on purpose"));
                default -> Mono.never();
            };
        });
        switch (way) {
            case "throws" ->
                assertThatThrownBy(() -> service.throwing(way).block()).hasMessage("on purpose");
            case "null" -> assertThat(service.nothing(way).block()).isNull();
            case "error" ->
                assertThatThrownBy(() -> service.flight(way, counted).block()).hasMessage("on purpose");
            case "timeout" ->
                assertThatThrownBy(() -> service.flight(way, counted)
                                .timeout(Duration.ofMillis(20))
                                .block())
                        .hasCauseInstanceOf(TimeoutException.class);
            case "dispose" -> service.flight(way, counted).subscribe().dispose();
            default -> service.flight(way, counted).block();
        }
        if (!way.equals("throws") && !way.equals("null")) {
            assertThat(during).hasValue(1);
        }
        Conditions.await(() -> held("flight", way) == 0);
        assertThat(limits.peek("flight", way).remaining()).isEqualTo(2);
    }

    @Test
    void permitOfAFluxEndsWithIt() {
        Sinks.Many<String> elements = Sinks.many().multicast().onBackpressureBuffer();
        List<String> seen = new ArrayList<>();
        Disposable running = service.flights("flux", elements.asFlux()).subscribe(seen::add);
        elements.tryEmitNext("a");
        assertThat(held("flight", "flux")).isOne();
        elements.tryEmitComplete();
        assertThat(running.isDisposed()).isTrue();
        assertThat(seen).containsExactly("a");
        assertThat(held("flight", "flux")).isZero();

        Flux<String> endless = service.flights("flux", Flux.just("x").repeat());
        assertThat(endless.take(1).blockLast()).isEqualTo("x");
        assertThat(endless.next().block()).isEqualTo("x");
        assertThat(endless.takeUntil(element -> true).blockLast()).isEqualTo("x");
        assertThatThrownBy(() -> endless.concatMap(element -> Mono.error(new IllegalStateException("on purpose")))
                        .blockLast())
                .hasMessage("on purpose");
        assertThatThrownBy(() -> service.flights("flux", Flux.error(new IllegalStateException("on purpose")))
                        .blockLast())
                .hasMessage("on purpose");
        assertThat(held("flight", "flux")).isZero();
        assertThat(limits.peek("flight", "flux").remaining()).isEqualTo(2);
    }

    @Test
    void permitIsFreeWhenTheSubscriberSeesTheEnd() {
        List<Long> after = new ArrayList<>();
        service.flight("seen", Mono.just("x"))
                .doOnSuccess(value -> after.add(held("flight", "seen")))
                .block();
        service.flights("seen", Flux.just("x"))
                .doOnComplete(() -> after.add(held("flight", "seen")))
                .blockLast();
        assertThat(after).containsExactly(0L, 0L);
    }

    @Test
    void noMoreRunAtOnceThanTheLimitAllows() {
        AtomicInteger running = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        Mono<String> work = Mono.<String>fromSupplier(() -> {
                    most.accumulateAndGet(running.incrementAndGet(), Math::max);
                    return "x";
                })
                .delayElement(Duration.ofMillis(1))
                .doOnNext(value -> running.decrementAndGet());
        Long done = Flux.range(0, 200)
                .flatMap(i -> service.queue("most", work), 100)
                .count()
                .block();
        assertThat(done).isEqualTo(200);
        assertThat(most).hasValue(1);
        assertThat(held("queue", "most")).isZero();
    }

    /** Cancellation by another thread, at the moment when the queue grants the permit. */
    @Test
    void cancellationDuringAGrantLosesNoPermit() throws Exception {
        ExecutorService other = Executors.newSingleThreadExecutor();
        try {
            for (int i = 0; i < 2_000; i++) {
                Sinks.Empty<String> end = Sinks.empty();
                Disposable holding = service.queue("race", end.asMono()).subscribe();
                Disposable waiting = service.queue("race", Mono.never()).subscribe();
                Phaser both = new Phaser(2);
                var cancelled = other.submit(() -> {
                    both.arriveAndAwaitAdvance();
                    waiting.dispose();
                });
                both.arriveAndAwaitAdvance();
                end.tryEmitEmpty();
                cancelled.get(30, TimeUnit.SECONDS);
                holding.dispose();
                Conditions.await(() -> limits.peek("queue", "race").remaining() == 1);
                Conditions.await(() -> held("queue", "race") == 0);
            }
        } finally {
            other.shutdownNow();
        }
    }

    @Test
    void fallbackReturnsAPublisher() {
        AtomicInteger fallbacks = new AtomicInteger();
        assertThat(service.once("fallback", fallbacks).block()).isEqualTo("fresh");
        Mono<String> rejected = service.once("fallback", fallbacks);
        assertThat(fallbacks).hasValue(0);
        assertThat(rejected.block()).isEqualTo("fallback once");
        assertThat(rejected.repeat(1).collectList().block()).hasSize(2);
        assertThat(fallbacks).hasValue(3);
        assertThat(taken("once", "fallback")).isOne();
    }

    @Test
    void resultDecidesOnTheCharge() {
        service.result("result", Mono.just("good")).block();
        service.result("result", Mono.empty()).block();
        assertThat(taken("result", "result")).isZero();
        service.result("result", Mono.just("bad")).block();
        assertThat(taken("result", "result")).isOne();
        List<Long> seen = new ArrayList<>();
        service.result("result", Mono.just("good"))
                .doOnNext(value -> seen.add(taken("result", "result")))
                .block();
        assertThat(seen).containsExactly(1L);

        service.failed("failed", Mono.just("x")).block();
        assertThat(taken("failed", "failed")).isZero();
        assertThatThrownBy(service.failed("failed", Mono.error(new IllegalStateException("on purpose")))::block)
                .hasMessage("on purpose");
        assertThat(taken("failed", "failed")).isOne();
    }

    @Test
    void otherAdviceRunsForEachSubscription() {
        Mono<String> call = service.advised("advised");
        assertThat(advised).hasValue(0);
        call.block();
        call.repeat(1).blockLast();
        assertThat(advised).hasValue(3);
        assertThat(taken("window", "advised")).isEqualTo(3);
    }

    @Test
    void waitingCallsGoOnInAThreadOfReactor() {
        Set<String> threads = ConcurrentHashMap.newKeySet();
        Mono<String> named = Mono.fromSupplier(() -> {
            threads.add(Thread.currentThread().getName());
            return "x";
        });
        Flux.range(0, 6).flatMap(i -> service.soon("threads", named)).blockLast();
        Flux.range(0, 20)
                .flatMap(i -> service.queue("threads", named.delayElement(Duration.ofMillis(1), Schedulers.single())))
                .blockLast();
        assertThat(threads).contains(Thread.currentThread().getName()).hasSizeGreaterThan(1);
        threads.remove(Thread.currentThread().getName());
        assertThat(threads).allMatch(name -> name.startsWith("parallel-"));
    }

    private static long taken(String rule, String key) {
        return LIMITS.getOrDefault(rule, LIMIT) - limits.peek(rule, key).remaining();
    }

    private static final Map<String, Integer> LIMITS = Map.of("once", 1, "flight", 2, "queue", 1);

    private static long held(String rule, String key) {
        return holders.of(rule, null).stream()
                .filter(permit -> permit.key().endsWith(":" + key))
                .count();
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(Service.class)
    static class Methods {

        final AtomicInteger advised = new AtomicInteger();

        /** Behind the limits, which come first. */
        @Bean
        Advisor counting() {
            NameMatchMethodPointcut pointcut = new NameMatchMethodPointcut();
            pointcut.setMappedName("advised");
            DefaultPointcutAdvisor advisor = new DefaultPointcutAdvisor(pointcut, (MethodInterceptor) call -> {
                advised.incrementAndGet();
                return call.proceed();
            });
            advisor.setOrder(Integer.MAX_VALUE);
            return advisor;
        }
    }

    static class Service {

        @RateLimiter("window")
        Mono<String> window(String id, Mono<String> work) {
            return work;
        }

        @RateLimiter("window")
        Flux<String> many(String id, Flux<String> work) {
            return work;
        }

        @RateLimiter("window")
        Mono<String> advised(String id) {
            return Mono.just(id);
        }

        @RateLimiter("flight")
        Mono<String> flight(String id, Mono<String> work) {
            return work;
        }

        @RateLimiter("flight")
        Flux<String> flights(String id, Flux<String> work) {
            return work;
        }

        @RateLimiter("flight")
        Mono<String> throwing(String id) {
            throw new IllegalStateException("on purpose");
        }

        @RateLimiter("flight")
        Mono<String> nothing(String id) {
            return null;
        }

        @RateLimiter("queue")
        Mono<String> queue(String id, Mono<String> work) {
            return work;
        }

        @RateLimiter("turns")
        Mono<String> turns(String id, Mono<String> work) {
            return work;
        }

        @RateLimiter("soon")
        Mono<String> soon(String id, Mono<String> work) {
            return work;
        }

        @RateLimiter("result")
        Mono<String> result(String id, Mono<String> work) {
            return work;
        }

        @RateLimiter("failed")
        Mono<String> failed(String id, Mono<String> work) {
            return work;
        }

        @RateLimiter(value = "once", fallback = "instead")
        Mono<String> once(String id, AtomicInteger fallbacks) {
            return Mono.just("fresh");
        }

        Mono<String> instead(String id, AtomicInteger fallbacks, RateLimitExceededException rejection) {
            return Mono.fromSupplier(() -> {
                fallbacks.incrementAndGet();
                return "fallback " + rejection.decision().rule().name();
            });
        }
    }
}
