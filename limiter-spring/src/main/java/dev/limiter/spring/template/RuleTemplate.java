package dev.limiter.spring.template;

import dev.limiter.Decision;
import dev.limiter.spi.ReturningFuture;
import dev.limiter.spring.RateLimitTemplate;
import dev.limiter.spring.compile.RateLimitRule;
import dev.limiter.spring.compile.Rules;
import dev.limiter.spring.context.CodeCall;
import dev.limiter.spring.decide.CallCompletion;
import dev.limiter.spring.decide.NamedRules;
import dev.limiter.spring.decide.NamedRules.NamedRule;
import dev.limiter.spring.decide.RuleDecider;
import dev.limiter.spring.decide.Verdict;
import dev.limiter.spring.failure.MessageCode;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.util.function.SingletonSupplier;

/** A template that decides with the current rules. Thread-safe. */
public final class RuleTemplate implements RateLimitTemplate {

    private final Supplier<RuleDecider> decider;
    private final Runnable reload;
    private final Supplier<NamedRules> named;

    /**
     * @param rules read with the first call, as is {@code decider}
     * @param reload puts the current rules of the configuration and of all sources in force
     */
    public RuleTemplate(Supplier<Rules> rules, Supplier<RuleDecider> decider, Runnable reload) {
        this.named = SingletonSupplier.of(() -> new NamedRules(rules.get()));
        this.decider = decider;
        this.reload = reload;
    }

    @Override
    public Decision tryAcquire(String rule, String key) {
        NamedRule named = find(rule);
        return named.decision(decide(named, call(rule, key, null, false)));
    }

    @Override
    public Decision tryAcquire(String rule, String key, long permits) {
        if (permits < 0) {
            throw new IllegalArgumentException("permits must be 0 or more, but is " + permits);
        }
        NamedRule named = find(rule);
        return named.decision(decide(named, call(rule, key, permits, false)));
    }

    @Override
    public Decision acquire(String rule, String key) {
        NamedRule named = find(rule);
        return named.decision(permitted(decide(named, call(rule, key, null, true))));
    }

    @Override
    public CompletableFuture<Decision> acquireAsync(String rule, String key) {
        NamedRule named = find(rule);
        return new ReturningFuture<Decision>(Decision::giveBack)
                .handedBy(
                        decideLater(named, call(rule, key, null, true)), verdict -> named.decision(permitted(verdict)));
    }

    @SuppressWarnings({"unchecked", "NullAway"}) // the result of the work, or a copy of the same type
    @Override
    public <T extends @Nullable Object> T execute(String rule, String key, Supplier<T> work) {
        Objects.requireNonNull(work, "work");
        Verdict verdict = permitted(decide(find(rule), call(rule, key, null, true)));
        return (T) CallCompletion.inCode(verdict).<RuntimeException>proceed(work::get, null);
    }

    @Override
    public <T extends @Nullable Object> CompletableFuture<T> executeAsync(
            String rule, String key, Supplier<? extends CompletionStage<T>> work) {
        Objects.requireNonNull(work, "work");
        return new AsyncCall<T>(work).after(decideLater(find(rule), call(rule, key, null, true)));
    }

    @Override
    public Decision peek(String rule, String key) {
        NamedRule named = find(rule);
        Decision decision = decider.get().predict(named.rule(), call(rule, key, null, false));
        return decision == null ? named.decision(Verdict.UNLIMITED) : decision;
    }

    @Override
    public void reset(String rule, String key) {
        CodeCall call = call(rule, key, null, false);
        RateLimitRule found = find(rule).rule();
        decider.get().reset(found, found.key(call).text());
    }

    @Override
    public void reload() {
        reload.run();
    }

    private static CodeCall call(String rule, @Nullable String key, @Nullable Long permits, boolean mayWait) {
        if (key == null) {
            throw new IllegalArgumentException("The key for rule \"" + rule + "\" is null. Pass a text that"
                    + " identifies the client, or \"\" for the bucket of unidentified clients."
                    + " [" + MessageCode.KEY + "]");
        }
        return new CodeCall(key, permits, mayWait);
    }

    private Verdict decide(NamedRule named, CodeCall call) {
        return decider.get().decide(named.applicable(), rule -> call);
    }

    private ReturningFuture<Verdict> decideLater(NamedRule named, CodeCall call) {
        return decider.get().decideLater(named.applicable(), rule -> call);
    }

    static Verdict permitted(Verdict verdict) {
        if (!verdict.permitted()) {
            throw verdict.rejection();
        }
        return verdict;
    }

    private NamedRule find(String name) {
        return named.get().get(name, "A RateLimitTemplate call");
    }
}
