package dev.limiter.spring.decide;

import static dev.limiter.spring.compile.TestRules.compiled;
import static dev.limiter.spring.compile.TestRules.rule;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.limiter.Algorithm;
import dev.limiter.Charge;
import dev.limiter.Decision;
import dev.limiter.RateLimiterFactory;
import dev.limiter.RateLimiterStorage;
import dev.limiter.RateLimiters;
import dev.limiter.Rule;
import dev.limiter.TimeSource;
import dev.limiter.memory.InMemoryRateLimiterStorage;
import dev.limiter.spring.compile.CandidateRules;
import dev.limiter.spring.compile.RateLimitRule;
import dev.limiter.spring.compile.RuleContexts;
import dev.limiter.spring.compile.TestRules;
import dev.limiter.spring.context.RateLimitContext;
import dev.limiter.spring.context.RequestView;
import dev.limiter.spring.expression.RuleEvaluationException;
import dev.limiter.spring.key.KeyHash;
import dev.limiter.spring.rule.LimitDefinition;
import dev.limiter.spring.rule.LimitsDefinition;
import dev.limiter.spring.rule.Mode;
import dev.limiter.spring.rule.RuleDefinition;
import dev.limiter.spring.rule.RuleOptions;
import dev.limiter.spring.rule.RuleOrigin;
import dev.limiter.testkit.Conditions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Asynchronous decisions have the same results, and make no blocking call. */
@Timeout(60)
class DecisionStepsTests {

    private static final RuleOrigin ORIGIN = RuleOrigin.property("limiter.rules.test");

    private final AtomicLong now = new AtomicLong(TimeUnit.DAYS.toNanos(20_000));
    private final RemoteStorage remote = new RemoteStorage(now::get);
    private final List<RateLimitEvent> events = new ArrayList<>();
    private final PermitHolders holders = new PermitHolders(now::get);
    private final RuleDecider decider = decider(remote, List.of(events::add));

    private RuleDecider decider(RateLimiterStorage storage, List<RateLimitListener> listeners) {
        DecisionReports reports = new DecisionReports(List.of(), listeners, KeyHash.with("secret"));
        return new RuleDecider(new RateLimiters(storage), storage, reports, holders);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void answersAsTheBlockingWayDoes(long seed) {
        List<RateLimitEvent> blockingEvents = new ArrayList<>();
        List<RateLimitEvent> rejections = new ArrayList<>();
        RateLimiterStorage memory = new InMemoryRateLimiterStorage(new RateLimiterFactory(), now::get, 1_000);
        RuleDecider blocking = decider(memory, List.of(blockingEvents::add, new RejectionListener(rejections)));
        ApplicableRules rules = ApplicableRules.of(Stream.of(
                        rule("banning")
                                .set(RuleOptions.KEY, List.of("header:user"))
                                .limit(3L, "1s", null, null, null)
                                .set(LimitsDefinition.CANDIDATE, candidate(5))
                                .ban(3L, "1m", "10s"),
                        rule("skipped")
                                .limit(9L, "1s", null, null, null)
                                .set(RuleOptions.CONDITION, "#request.getHeader('skip') == null"),
                        rule("costly")
                                .limit(20L, "1s", null, null, null)
                                .set(RuleOptions.COST, "T(Integer).parseInt(#request.getHeader('cost'))"),
                        rule("partly")
                                .set(RuleOptions.KEY, List.of("header:user"))
                                .limit(4L, "1s", null, null, null)
                                .set(RuleOptions.ROLLOUT, "50%"),
                        rule("watching").limit(2L, "1s", null, null, null).set(RuleOptions.MODE, Mode.SHADOW))
                .map(RuleDefinition.Builder::build)
                .flatMap(definition -> Stream.of(definition, CandidateRules.of(definition)))
                .filter(Objects::nonNull)
                .map(TestRules::compiled)
                .toList());
        Random random = new Random(seed);
        for (int i = 0; i < 2_000; i++) {
            RequestView request = HeadersOnly.of(Map.of(
                    "user",
                    "user" + random.nextInt(3),
                    random.nextInt(4) == 0 ? "skip" : "other",
                    "yes",
                    "cost",
                    Integer.toString(random.nextInt(4))));
            RuleContexts contexts = rule -> RateLimitContext.of(request, "resource of " + rule.name());
            Verdict expected = blocking.decide(rules, contexts);
            Verdict verdict = remote.answerAll(() -> decider.decideLater(rules, contexts));
            assertThat(verdict.permitted()).isEqualTo(expected.permitted());
            assertThat(verdict.rules()).isEqualTo(expected.rules());
            assertThat(verdict.statuses()).isEqualTo(expected.statuses());
            if (random.nextInt(5) == 0) {
                expected.giveBack();
                verdict.giveBack();
            }
            now.addAndGet(random.nextInt(200_000_000));
        }
        assertThat(events.stream().map(DecisionStepsTests::reported))
                .containsExactlyElementsOf(blockingEvents.stream()
                        .map(DecisionStepsTests::reported)
                        .toList());
        assertThat(events).allMatch(event -> event.resource().equals("resource of " + event.rule()));
        assertThat(rejections)
                .isEqualTo(blockingEvents.stream()
                        .filter(event -> event.outcome() == Outcome.REJECTED)
                        .toList());
        assertThat(events.stream()
                        .filter(event -> event.rule().equals("banning-candidate"))
                        .map(RateLimitEvent::outcome)
                        .distinct())
                .containsExactlyInAnyOrder(Outcome.PERMITTED, Outcome.SHADOW_REJECTED);
        assertThat(events.stream().map(RateLimitEvent::outcome))
                .contains(
                        Outcome.PERMITTED, Outcome.REJECTED, Outcome.BANNED, Outcome.SKIPPED, Outcome.SHADOW_REJECTED);
    }

    private static List<Object> reported(RateLimitEvent event) {
        Decision decision = event.decision();
        return Arrays.asList(
                event.rule(),
                event.resource(),
                event.outcome(),
                event.key(),
                event.keyHash(),
                decision == null ? List.of() : decision.limits());
    }

    @Test
    void eachStepStartsWithTheReplyToTheStepBefore() {
        ApplicableRules rules = ApplicableRules.of(List.of(
                compiled(rule("banning")
                        .set(RuleOptions.KEY, List.of("header:user"))
                        .limit(3L, "1s", null, null, null)
                        .ban(3L, "1m", "10s")),
                compiled(rule("watching").limit(2L, "1s", null, null, null).set(RuleOptions.MODE, Mode.SHADOW))));
        CompletableFuture<Verdict> verdict = decider.decideLater(rules, rule -> request(Map.of("user", "ann")));
        for (String question : List.of("peek", "decide", "decide")) {
            assertThat(verdict).isNotDone();
            assertThat(remote.answerOne()).isEqualTo(question);
        }
        assertThat(verdict)
                .succeedsWithin(Duration.ofSeconds(60))
                .satisfies(done -> assertThat(done.permitted()).isTrue());
    }

    @Test
    void cancelledDecisionRefundsPermitsThatAreGrantedAfterwards() {
        RateLimitRule rule = compiled(rule("plain").limit(1L, "1h", null, null, null));
        CompletableFuture<Verdict> cancelled =
                decider.decideLater(ApplicableRules.of(List.of(rule)), same -> request(Map.of()));
        cancelled.cancel(true);
        remote.answerOne();

        Conditions.await(() -> remote.states.peek(rule.rule(), "").permitted());
        assertThat(events).isEmpty();
    }

    @Test
    void cancelledDecisionGivesBackWhatWasGrantedBeforeTheStepUnderWay() {
        RateLimitRule rule = compiled(rule("plain").limit(1L, "1h", null, null, null));
        RateLimitRule watching =
                compiled(rule("watching").limit(1L, "1h", null, null, null).set(RuleOptions.MODE, Mode.SHADOW));
        CompletableFuture<Verdict> cancelled =
                decider.decideLater(ApplicableRules.of(List.of(rule, watching)), same -> request(Map.of()));
        remote.answerOne();
        Conditions.await(() -> !remote.questions.isEmpty());
        assertThat(remote.states.peek(rule.rule(), "").permitted()).isFalse();
        cancelled.cancel(true);
        remote.answerOne();

        Conditions.await(() -> remote.states.peek(rule.rule(), "").permitted()
                && remote.states.peek(watching.rule(), "").permitted());
    }

    @Test
    void failingExpressionCostsAPermitOfUnresolvedKeys() {
        ApplicableRules rules = ApplicableRules.of(List.of(compiled(rule("failing")
                .set(RuleOptions.KEY, List.of("header:user"))
                .limit(1L, "1h", null, null, null)
                .set(RuleOptions.CONDITION, "!#request.getHeader('flag').isEmpty()"))));
        assertThatThrownBy(() -> remote.answerAll(() -> decider.decideLater(rules, rule -> request(Map.of()))))
                .isInstanceOf(CompletionException.class)
                .hasCauseInstanceOf(RuleEvaluationException.class);
        assertThat(remote.answerAll(() -> decider.decideLater(rules, rule -> request(Map.of())))
                        .permitted())
                .isFalse();
    }

    @Test
    void failureOfTheStorageIsThatOfTheDecision() {
        ApplicableRules rules =
                ApplicableRules.of(List.of(compiled(rule("plain").limit(1L, "1h", null, null, null))));
        CompletableFuture<Verdict> verdict = decider.decideLater(rules, rule -> request(Map.of()));
        remote.failOne(new IllegalStateException("gone"));
        assertThat(verdict)
                .failsWithin(Duration.ofSeconds(10))
                .withThrowableThat()
                .withMessageContaining("gone");
    }

    @Test
    void shadowRuleRejectsNothingIfTheStorageFailsAtOnce() {
        ApplicableRules rules = ApplicableRules.of(List.of(
                compiled(rule("pool").limit(1L, null, Algorithm.CONCURRENCY, null, null)),
                compiled(rule("watching").limit(1L, "1s", null, null, null).set(RuleOptions.MODE, Mode.SHADOW))));
        remote.failingAtOnce = "watching";

        Verdict verdict = remote.answerAll(() -> decider.decideLater(rules, rule -> request(Map.of())));
        assertThat(verdict.permitted()).isTrue();
        assertThat(holders.permits("pool")).isOne();
        verdict.close();
        assertThat(holders.permits("pool")).isZero();
    }

    @Test
    void whatIsHeldIsShownUntilItIsReleasedOrGivenBack() {
        ApplicableRules rules = ApplicableRules.of(List.of(
                compiled(rule("rate").limit(100L, "1s", null, null, null)),
                compiled(rule("pool")
                        .set(RuleOptions.KEY, List.of("header:user"))
                        .limit(2L, null, Algorithm.CONCURRENCY, null, null)),
                compiled(rule("watching")
                        .limit(2L, null, Algorithm.CONCURRENCY, null, null)
                        .set(RuleOptions.MODE, Mode.SHADOW))));
        Verdict verdict = remote.answerAll(() -> decider.decideLater(rules, ann("GET /a")));
        assertThat(held()).containsExactly(1L, 0L, 1L);
        assertThat(holders.of("pool", null)).singleElement().satisfies(held -> {
            assertThat(held.key()).contains("ann");
            assertThat(held.resource()).isEqualTo("GET /a by pool");
            assertThat(holders.of("pool", held.key())).hasSize(1);
            assertThat(holders.of("pool", "other")).isEmpty();
        });

        Verdict second = remote.answerAll(() -> decider.decideLater(rules, ann("GET /b")));
        assertThat(held()).containsExactly(2L, 0L, 2L);
        Verdict rejected = remote.answerAll(() -> decider.decideLater(rules, ann("GET /c")));
        assertThat(rejected.permitted()).isFalse();
        assertThat(held()).containsExactly(2L, 0L, 2L);

        verdict.close();
        verdict.close();
        assertThat(held()).containsExactly(1L, 0L, 1L);
        second.giveBack();
        assertThat(held()).containsExactly(0L, 0L, 0L);
    }

    private List<Long> held() {
        return Stream.of("pool", "rate", "watching").map(holders::permits).toList();
    }

    private static LimitsDefinition candidate(long limit) {
        return new LimitsDefinition(LimitDefinition.of(ORIGIN, limit, null, null, null, null), null);
    }

    /** A request for which each rule names the resource in its own way. */
    private static RuleContexts ann(String resource) {
        return rule -> RateLimitContext.of(HeadersOnly.of(Map.of("user", "ann")), resource + " by " + rule.name());
    }

    private static RateLimitContext request(Map<String, String> headers) {
        return RateLimitContext.of(HeadersOnly.of(headers), "test");
    }

    /** A remote storage that fails blocking calls, and replies when the test completes the call. */
    private static final class RemoteStorage implements RateLimiterStorage {

        private final RateLimiterStorage states;
        private final Queue<Question> questions = new ConcurrentLinkedQueue<>();

        /** The rule for which each call throws. */
        private volatile String failingAtOnce = "";

        RemoteStorage(TimeSource clock) {
            this.states = new InMemoryRateLimiterStorage(new RateLimiterFactory(), clock, 1_000);
        }

        private record Question(String kind, Supplier<Decision> answer, CompletableFuture<Decision> future) {

            void answered() {
                Decision decision = answer.get();
                if (!future.complete(decision)) {
                    decision.giveBack();
                }
            }
        }

        private CompletableFuture<Decision> ask(String kind, Supplier<Decision> answer) {
            CompletableFuture<Decision> future = new CompletableFuture<>();
            questions.add(new Question(kind, answer, future));
            return future;
        }

        String answerOne() {
            Question question = next();
            question.answered();
            return question.kind();
        }

        void failOne(RuntimeException failure) {
            next().future().completeExceptionally(failure);
        }

        /** Returns the next call, which another thread may be about to make. */
        private Question next() {
            Question next = questions.poll();
            while (next == null) {
                Thread.onSpinWait();
                next = questions.poll();
            }
            return next;
        }

        <T> T answerAll(Supplier<? extends CompletableFuture<T>> decision) {
            CompletableFuture<T> verdict = decision.get();
            while (!verdict.isDone()) {
                Question question = questions.poll();
                if (question != null) {
                    question.answered();
                }
                Thread.onSpinWait();
            }
            return verdict.join();
        }

        @Override
        public CompletionStage<Decision> decideAsync(List<Charge> charges) {
            if (charges.stream().anyMatch(charge -> charge.rule().name().equals(failingAtOnce))) {
                throw new IllegalStateException("at once");
            }
            return ask("decide", () -> states.decide(charges));
        }

        @Override
        public CompletionStage<Decision> peekAsync(List<Charge> charges) {
            return ask("peek", () -> states.peek(charges));
        }

        @Override
        public Decision decide(List<Charge> charges) {
            throw new AssertionError("blocks");
        }

        @Override
        public Decision peek(List<Charge> charges) {
            throw new AssertionError("blocks");
        }

        @Override
        public boolean isRemote() {
            return true;
        }

        @Override
        public void reset(Rule rule, String key) {
            states.reset(rule, key);
        }

        @Override
        public TimeSource clock() {
            return states.clock();
        }

        @Override
        public long size() {
            return states.size();
        }
    }

    private record RejectionListener(List<RateLimitEvent> heard) implements RateLimitListener {

        @Override
        public void onDecision(RateLimitEvent event) {
            heard.add(event);
        }

        @Override
        public boolean hears(Outcome outcome) {
            return outcome == Outcome.REJECTED;
        }
    }
}
