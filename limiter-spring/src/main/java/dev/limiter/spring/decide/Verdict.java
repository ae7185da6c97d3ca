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

/** The verdict of one decision point on a request or a call. Immutable, but for permits that are given back. */
public final class Verdict {

    /** No rule had anything to say. */
    public static final Verdict UNLIMITED =
            new Verdict(List.of(), List.of(), null, List.of(), List.of(), List.of(), List.of(), List.of());

    final List<RateLimitRule> rules;
    /** The charges of the {@link #rules}, in their order. */
    final List<Charge> charges;

    final @Nullable Decision decision;
    /** The rules that only watched. */
    final List<RateLimitRule> watching;

    /** The names of those among them that would have rejected the request; without candidates. */
    final List<String> exceeded;

    private final List<Decision> shadow;
    /** The charges that may be returned once the outcome is known. */
    final List<OpenCharge> open;
    /** Each ends what {@link PermitHolders} show of the request. */
    final List<Runnable> held;

    final boolean permitted;
    /** Whether limits were asked, so that clients can be told where these stand. */
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

    /** The enforced rules that were decided, in order; without those that were skipped. */
    public List<RateLimitRule> rules() {
        return rules;
    }

    /** The limits that were asked for the rule at that position of {@link #rules()}: its own, or those of a tier. */
    public Rule asked(int index) {
        return charges.get(index).rule();
    }

    /** The charge of the rule at that position of {@link #rules()}. */
    public Charge charge(int index) {
        return charges.get(index);
    }

    /** Whether clients are told where the limits of any of the {@link #rules()} stand. */
    public boolean hasFields() {
        for (RateLimitRule rule : rules) {
            if (rule.headers() != HeaderStyle.NONE) {
                return true;
            }
        }
        return false;
    }

    /** The decision over all {@link #rules()}; null if there are none. */
    public @Nullable Decision decision() {
        return decision;
    }

    /** Where the limits of each rule stood when its request could go on, in the order of {@link #rules()}. */
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

    /** How long the request waited from the decision to its turn. */
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

    /** Whether a limit of the rule at that position of {@link #rules()} rejected. */
    boolean rejectedBy(int rule) {
        return !permitted && !part(rule).permitted();
    }

    /** The name of the rule that rejected; of several, the first of the {@link #rules()}. Only of a rejection. */
    public String rejectingRule() {
        for (int i = 0; i < rules.size(); i++) {
            if (rejectedBy(i)) {
                return rules.get(i).name();
            }
        }
        return Objects.requireNonNull(decision).rule().name();
    }

    /** Whether the rule of that name rejected, and no other. */
    boolean isBy(String name) {
        for (int i = 0; i < rules.size(); i++) {
            if (rejectedBy(i) && !rules.get(i).name().equals(name)) {
                return false;
            }
        }
        return !rules.isEmpty();
    }

    /** The standing of a rule's limits: empty if it is unknown, because everything is let through. */
    static List<LimitStatus> limits(Decision part) {
        return isCounted(part) ? part.limits() : List.of();
    }

    static boolean isCounted(Decision part) {
        return part.onFailure().orElse(OnFailure.LOCAL) != OnFailure.ALLOW;
    }

    /** The decision on one of the {@link #rules()}; the whole decision if that is not known apart. */
    Decision part(int rule) {
        Decision whole = Objects.requireNonNull(decision);
        return rules.size() > 1 && whole.parts().size() == rules.size()
                ? whole.parts().get(rule)
                : whole;
    }

    /** Whether charges may be returned once the outcome is known; never without {@code charge-if}. */
    public boolean isOpen() {
        return !open.isEmpty();
    }

    /**
     * The call is over: settles what depends only on that.
     *
     * @param answerFollows whether there is a request, whose answer the rest waits for
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

    /** The answer is about to be sent: settles what depends on that. */
    public void answered(ResponseView response) {
        for (OpenCharge charge : open) {
            if (charge.byResponse()) {
                returned |= charge.answered(response);
            }
        }
    }

    /** Whether some of what was taken has been returned, so that the limits no longer stand where they stood. */
    public boolean returned() {
        return returned;
    }

    /** Whether permits of concurrency limits are held until {@link #close()}. */
    public boolean holds() {
        return decision != null && permitted && charges.stream().anyMatch(charge -> holds(charge.rule()))
                || shadow.stream().anyMatch(watched -> holds(watched.rule()));
    }

    private static boolean holds(Rule rule) {
        return rule.limits().stream().anyMatch(Limit.Concurrency.class::isInstance);
    }

    /** Releases what is held of concurrency limits, because the work is done. The second call does nothing. */
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
     * Whether no client is to blame for the rejection: the rule that decided is about limits of the application's own, or
     * about what all callers hold together.
     */
    boolean isOverload() {
        if (decision == null) {
            return false;
        }
        for (RateLimitRule rule : rules) {
            if (rules.size() == 1 || rule.name().equals(decision.rule().name())) {
                return rule.protectsApplication() || rule.isForAll() && decision.limit() instanceof Limit.Concurrency;
            }
        }
        return false;
    }

    /**
     * The decision for code, which closes it or gives it back.
     *
     * @param rule of the decision if no limit applies
     */
    public Decision inCode(Rule rule) {
        Decision decided = decision == null ? new FixedDecision(rule, 0, FixedDecision.Reason.UNLIMITED) : decision;
        return permitted && !(shadow.isEmpty() && held.isEmpty()) ? new CodeDecision(decided, this) : decided;
    }

    /**
     * The exception of a rejected call, for {@link RequestDecisions#addRejection}. The whole verdict comes with it to where
     * the request is answered: the thread of a call may know no request.
     */
    public RateLimitExceededException rejection() {
        return new RateLimitExceededException(Objects.requireNonNull(decision), this);
    }

    /** Returns what was taken, because the request was rejected after all. */
    public void giveBack() {
        if (!permitted) {
            return; // took nothing, and no rule in shadow mode keeps permits beside a rejection
        }
        open.forEach(OpenCharge::drop);
        if (decision != null) {
            decision.giveBack();
        }
        shadow.forEach(Decision::giveBack);
        held.forEach(Runnable::run);
    }
}
