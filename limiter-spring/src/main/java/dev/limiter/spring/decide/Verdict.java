package dev.limiter.spring.decide;

import dev.limiter.Charge;
import dev.limiter.Decision;
import dev.limiter.Limit;
import dev.limiter.LimitStatus;
import dev.limiter.OnFailure;
import dev.limiter.RateLimitExceededException;
import dev.limiter.Rule;
import dev.limiter.spi.FixedDecision;
import dev.limiter.spring.compile.RateLimitRule;
import dev.limiter.spring.context.ResponseView;
import dev.limiter.spring.rule.HeaderStyle;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** The verdict of one decision point on a request or a call. Immutable, except for refunds. */
public final class Verdict {

    /** No rule limits the request. */
    public static final Verdict UNLIMITED =
            new Verdict(List.of(), List.of(), null, List.of(), List.of(), List.of(), List.of(), List.of());

    final List<RateLimitRule> rules;
    /** The charges of the {@link #rules}, in the same order. */
    final List<Charge> charges;

    final @Nullable Decision decision;
    /** The shadow rules that decided. */
    final List<RateLimitRule> watching;

    /** The names of shadow rules that would have rejected the request, without candidates. */
    final List<String> exceeded;

    private final List<Decision> shadow;
    /** The charges that may be refunded once the outcome is known. */
    final List<OpenCharge> open;
    /** Actions that remove the request from {@link PermitHolders}. */
    final List<Runnable> held;

    final boolean permitted;
    /** True if limits were checked, so that header fields can report them. */
    final boolean counted;

    private volatile boolean returned;

    Verdict(
            List<RateLimitRule> rules,
            List<Charge> charges,
            @Nullable Decision decision,
            List<RateLimitRule> watching,
            List<String> exceeded,
            List<Decision> shadow,
            List<OpenCharge> open,
            List<Runnable> held) {
        this.rules = rules;
        this.charges = charges;
        this.decision = decision;
        this.watching = watching;
        this.exceeded = exceeded;
        this.shadow = shadow;
        this.open = open;
        this.held = held;
        this.permitted = decision == null || decision.permitted();
        this.counted = decision != null && isCounted(decision);
    }

    public boolean permitted() {
        return permitted;
    }

    /** Returns the enforced rules that were decided, in order, without skipped ones. */
    public List<RateLimitRule> rules() {
        return rules;
    }

    /**
     * Returns the limits that applied for the rule at that position of {@link #rules()}: its own, or the ones of a
     * tier.
     */
    public Rule asked(int index) {
        return charges.get(index).rule();
    }

    /** Returns the charge of the rule at that position of {@link #rules()}. */
    public Charge charge(int index) {
        return charges.get(index);
    }

    /** Returns whether any of the {@link #rules()} writes header fields. */
    public boolean hasFields() {
        for (RateLimitRule rule : rules) {
            if (rule.headers() != HeaderStyle.NONE) {
                return true;
            }
        }
        return false;
    }

    /** Returns the decision on all {@link #rules()}; null if there are none. */
    public @Nullable Decision decision() {
        return decision;
    }

    /** Returns the states of each rule's limits at the end of a wait, in the order of {@link #rules()}. */
    public List<List<LimitStatus>> statuses() {
        return IntStream.range(0, rules.size()).mapToObj(this::statuses).toList();
    }

    private List<LimitStatus> statuses(int rule) {
        List<LimitStatus> decided = limits(part(rule));
        Duration waited = waited();
        return waited.isZero()
                ? decided
                : decided.stream().map(status -> after(waited, status)).toList();
    }

    /** Returns how long the request waited after the decision. */
    Duration waited() {
        return decision == null ? Duration.ZERO : decision.delay();
    }

    private static LimitStatus after(Duration waited, LimitStatus decided) {
        Duration rest = decided.resetAfter().minus(waited);
        return new LimitStatus(
                decided.policy(),
                decided.limit(),
                decided.permitted(),
                decided.remaining(),
                decided.retryAfter(),
                rest.isNegative() ? Duration.ZERO : rest);
    }

    /** Returns whether a limit of the rule at that position of {@link #rules()} rejected. */
    boolean rejectedBy(int rule) {
        return !permitted && !part(rule).permitted();
    }

    /**
     * Returns the name of the rule that rejected, the first one if there are several. Only for rejections.
     */
    public String rejectingRule() {
        for (int i = 0; i < rules.size(); i++) {
            if (rejectedBy(i)) {
                return rules.get(i).name();
            }
        }
        return Objects.requireNonNull(decision).rule().name();
    }

    /** Returns whether only the rule with this name rejected. */
    boolean isBy(String name) {
        for (int i = 0; i < rules.size(); i++) {
            if (rejectedBy(i) && !rules.get(i).name().equals(name)) {
                return false;
            }
        }
        return !rules.isEmpty();
    }

    /** Returns the states of a rule's limits; empty if they are unknown, because everything is permitted. */
    static List<LimitStatus> limits(Decision part) {
        return isCounted(part) ? part.limits() : List.of();
    }

    static boolean isCounted(Decision part) {
        return part.onFailure().orElse(OnFailure.LOCAL) != OnFailure.ALLOW;
    }

    /** Returns the decision on one of the {@link #rules()}; the whole decision if it has no parts. */
    Decision part(int rule) {
        Decision whole = Objects.requireNonNull(decision);
        return rules.size() > 1 && whole.parts().size() == rules.size()
                ? whole.parts().get(rule)
                : whole;
    }

    /** Returns whether charges may be refunded once the outcome is known; false without {@code charge-if}. */
    public boolean isOpen() {
        return !open.isEmpty();
    }

    /**
     * Settles the charges that depend only on the call, after the call.
     *
     * @param answerFollows true if a response follows, which settles the other charges
     */
    public void completed(@Nullable Object result, @Nullable Throwable exception, boolean answerFollows) {
        for (OpenCharge charge : open) {
            if (answerFollows && charge.byResponse()) {
                charge.remember(result, exception);
            } else {
                returned |= charge.completed(result, exception);
            }
        }
    }

    /** Settles the charges that depend on the response, before it is sent. */
    public void answered(ResponseView response) {
        for (OpenCharge charge : open) {
            if (charge.byResponse()) {
                returned |= charge.answered(response);
            }
        }
    }

    /**
     * Returns whether permits were refunded, so that the states of the limits have changed.
     */
    public boolean returned() {
        return returned;
    }

    /** Returns whether permits of concurrency limits are held until {@link #close()}. */
    public boolean holds() {
        return decision != null && permitted && charges.stream().anyMatch(charge -> holds(charge.rule()))
                || shadow.stream().anyMatch(watched -> holds(watched.rule()));
    }

    private static boolean holds(Rule rule) {
        return rule.limits().stream().anyMatch(Limit.Concurrency.class::isInstance);
    }

    /** Releases held concurrency permits after the work. The second call does nothing. */
    public void close() {
        if (!permitted) {
            return; // took nothing
        }
        if (decision != null) {
            decision.close();
        }
        shadow.forEach(Decision::close);
        held.forEach(Runnable::run);
    }

    /**
     * Returns whether the application is overloaded: the rejecting rule protects the application, or is a concurrency
     * limit for all callers.
     *
     * @param ofRequest whether no code passed a key
     */
    boolean isOverload(boolean ofRequest) {
        if (decision == null) {
            return false;
        }
        for (RateLimitRule rule : rules) {
            if (rules.size() == 1 || rule.name().equals(decision.rule().name())) {
                return rule.protectsApplication()
                        || rule.isForAll(ofRequest) && decision.limit() instanceof Limit.Concurrency;
            }
        }
        return false;
    }

    /**
     * Returns the decision for code, which must close or refund it.
     *
     * @param rule the rule of the decision if no limit applies
     */
    public Decision inCode(Rule rule) {
        Decision decided = decision == null ? new FixedDecision(rule, 0, FixedDecision.Reason.UNLIMITED) : decision;
        return permitted && !(shadow.isEmpty() && held.isEmpty()) ? new CodeDecision(decided, this) : decided;
    }

    /**
     * Returns the exception of a rejected call. It carries the verdict to {@link RequestDecisions#addRejection},
     * because the thread of the call may have no request.
     */
    public RateLimitExceededException rejection() {
        return new RateLimitExceededException(Objects.requireNonNull(decision), this);
    }

    /** Refunds all permits, because the request was rejected by another decision. */
    public void giveBack() {
        if (!permitted) {
            return; // took nothing, and shadow rules keep no permits of a rejected request
        }
        open.forEach(OpenCharge::drop);
        if (decision != null) {
            decision.giveBack();
        }
        shadow.forEach(Decision::giveBack);
        held.forEach(Runnable::run);
    }
}
