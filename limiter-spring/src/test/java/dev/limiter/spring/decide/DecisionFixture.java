package dev.limiter.spring.decide;

import dev.limiter.Limit;
import dev.limiter.RateLimiterFactory;
import dev.limiter.RateLimiters;
import dev.limiter.Rule;
import dev.limiter.memory.InMemoryRateLimiterStorage;
import dev.limiter.spi.AbstractDecision;
import dev.limiter.spring.compile.RateLimitRule;
import dev.limiter.spring.context.RateLimitContext;
import dev.limiter.spring.key.KeyHash;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

/** Decisions in memory with a manual clock, and the events that listeners receive. */
final class DecisionFixture {

    private static final int MAX_KEYS = 1_000;

    private final AtomicLong now = new AtomicLong(TimeUnit.DAYS.toNanos(20_000));
    private final List<RateLimitEvent> decisions = new ArrayList<>();
    private final List<RateLimitEvent> bans = new ArrayList<>();
    final RateLimiters limiters =
            new RateLimiters(new InMemoryRateLimiterStorage(new RateLimiterFactory(), now::get, MAX_KEYS));
    final PermitHolders holders = new PermitHolders(now::get);
    final RuleDecider decider = decider(List.of(new RateLimitListener() {
        @Override
        public void onDecision(RateLimitEvent event) {
            decisions.add(event);
        }

        @Override
        public void onBan(RateLimitEvent event) {
            bans.add(event);
        }
    }));

    RuleDecider decider(List<RateLimitListener> listeners) {
        return decider(List.of(), listeners);
    }

    RuleDecider decider(List<DecisionMeter> meters, List<RateLimitListener> listeners) {
        DecisionReports reports = new DecisionReports(meters, listeners, KeyHash.with("secret"));
        return new RuleDecider(limiters, limiters.storage(), reports, holders);
    }

    /** Fills the memory with keys at their limit, except for a number of states. */
    void leaveRoomFor(int states) {
        Rule full = Rule.of("full", Limit.fixedWindow(1, Duration.ofDays(1)));
        int keys = 0;
        while (!AbstractDecision.of(limiters.tryAcquire(full, "key" + keys)).sharesState()) {
            keys++;
        }
        for (int i = 0; limiters.storage().size() > MAX_KEYS - states; i++) {
            limiters.reset(full, "key" + i);
        }
    }

    void pass(Duration time) {
        now.addAndGet(time.toNanos());
    }

    Verdict decide(RateLimitContext request, RateLimitRule... rules) {
        return decider.decide(ApplicableRules.of(List.of(rules)), rule -> request);
    }

    /** Returns the decisions reported since the last call, each as rule and outcome. */
    List<String> reported() {
        List<String> reported = decisions.stream()
                .map(event -> event.rule() + " " + event.outcome().tag())
                .toList();
        decisions.clear();
        return reported;
    }

    /** Returns the rules that started a ban since the last call. */
    List<String> begunBans() {
        List<String> begun = bans.stream().map(RateLimitEvent::rule).toList();
        bans.clear();
        return begun;
    }

    /** Returns the remaining permits of a rule for a request. */
    long remaining(RateLimitRule rule, RateLimitContext request) {
        return Stream.ofNullable(rule.charge(request))
                .mapToLong(charge -> limiters.peek(charge.rule(), charge.key()).remaining())
                .findFirst()
                .orElseThrow();
    }

    /** Returns a request of a user; an empty name is no user. */
    static RateLimitContext user(String name) {
        return RateLimitContext.of(HeadersOnly.of(name.isEmpty() ? Map.of() : Map.of("user", name)), "GET /test");
    }
}
