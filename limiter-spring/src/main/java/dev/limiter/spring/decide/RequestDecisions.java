package dev.limiter.spring.decide;

import static java.util.concurrent.CompletableFuture.completedFuture;

import dev.limiter.Charge;
import dev.limiter.Decision;
import dev.limiter.LimitStatus;
import dev.limiter.RateLimitExceededException;
import dev.limiter.spring.compile.RateLimitRule;
import dev.limiter.spring.context.RequestView;
import dev.limiter.spring.context.ResponseView;
import dev.limiter.spring.response.FieldSink;
import dev.limiter.spring.response.PolicyText;
import dev.limiter.spring.response.PolicyTexts;
import dev.limiter.spring.response.RateLimitHeaders;
import dev.limiter.spring.rule.HeaderStyle;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The decisions about one request in any web framework: first of rules that apply by path, then of its handler. Tracks
 * the charges that depend on the response, and writes the header fields. Not thread-safe, except for
 * {@link #settleWithAnswer}; threads may use it one after the other.
 */
public abstract class RequestDecisions {

    private final PolicyTexts texts;
    private List<Verdict> verdicts = List.of();
    private List<RateLimitRule> rules = List.of();
    private boolean handlerDecided;
    private List<RateLimitRule> decidedOnArrival = List.of();
    private List<RateLimitRule> order = List.of();
    private List<String> exceeded = List.of();
    private @Nullable Verdict rejectedCall;
    private @Nullable RateLimitHeaders rejection;
    private Duration delay = Duration.ZERO;
    private volatile List<Verdict> open = List.of();
    /** The value of {@link #open} at the last settlement. */
    private List<Verdict> settled = open;

    protected RequestDecisions(PolicyTexts texts) {
        this.texts = texts;
    }

    public abstract RequestView view();

    /** Returns whether the method is the handler of the request, rather than a method that the handler calls. */
    public abstract boolean isHandler(Method method, Class<?> targetClass);

    /**
     * Returns whether the handler may be decided: no earlier dispatch of the request has decided one, and this is not
     * an error dispatch.
     */
    public abstract boolean isHandlerOpen();

    /** Returns the header fields of the response. They may be written several times; the last values win. */
    protected abstract FieldSink fields();

    /** Called after changes of fields or open charges. They must be processed at once if the response is committed. */
    protected abstract void changed();

    /** Receives the names of shadow rules that would have rejected the request; unmodifiable. */
    protected abstract void exceeded(List<String> rules);

    /**
     * Records the rules that are decided before routing.
     *
     * @param all the rules that apply by path, in the order of the header fields
     */
    public void arrive(List<RateLimitRule> deciding, List<RateLimitRule> all) {
        decidedOnArrival = deciding;
        order = all;
    }

    /** Returns the rules that were decided before routing. */
    public List<RateLimitRule> decidedOnArrival() {
        return decidedOnArrival;
    }

    /** Returns whether rules of a handler, including shadow rules, have permitted the request. */
    public boolean handlerDecided() {
        return handlerDecided;
    }

    /** Returns the rules that have counted the request by path, including shadow rules. */
    public List<RateLimitRule> rules() {
        return rules;
    }

    /**
     * Adds the verdict of rules that apply by path. The fields of a rejection are written later.
     */
    public void addRequest(Verdict verdict) {
        rules = rules.isEmpty() ? verdict.rules : with(rules, verdict.rules);
        if (!verdict.watching.isEmpty()) {
            rules = with(rules, verdict.watching);
        }
        remember(verdict);
        if (verdict.permitted) {
            writePermitted(verdict);
        }
        changed();
    }

    /** Adds the verdict of the handler's annotations. Held permits are released at the end of the request. */
    public void add(Verdict verdict) {
        if (verdict.permitted && !(verdict.rules.isEmpty() && verdict.watching.isEmpty())) {
            handlerDecided = true;
        }
        remember(verdict);
        writePermitted(verdict);
        changed();
    }

    /** Adds the rejection of a method that the handler called, on any thread. */
    public void addRejection(RateLimitExceededException rejection) {
        if (rejection.details() instanceof Verdict verdict) {
            rejectedCall = verdict;
        }
    }

    /** Sets the delay that is added to the retry after in responses. */
    public void delay(Duration delay) {
        this.delay = delay;
    }

    /** Returns the delay that is added to the retry after in responses. */
    public Duration delay() {
        return delay;
    }

    private static <T> List<T> with(List<T> some, List<T> more) {
        if (some.isEmpty() || more.isEmpty()) {
            return some.isEmpty() ? more : some;
        }
        return Stream.concat(some.stream(), more.stream()).toList();
    }

    private void remember(Verdict verdict) {
        verdicts = verdicts.isEmpty() ? List.of(verdict) : with(verdicts, List.of(verdict));
        open(verdict);
        if (!verdict.exceeded.isEmpty()) {
            exceeded = with(exceeded, List.copyOf(verdict.exceeded));
            exceeded(exceeded);
        }
    }

    /** Writes the fields of a permitted request at once, because the response may be committed at any time. */
    private void writePermitted(Verdict verdict) {
        Decision decision = verdict.decision;
        if (decision != null && verdict.hasFields()) {
            headers(verdict, decision).writeTo(fields());
        }
    }

    /** Settles the charges of a method that the handler called, before the response is committed. Thread-safe. */
    public void settleWithAnswer(Verdict verdict) {
        open(verdict);
        changed();
    }

    private void open(Verdict verdict) {
        if (!verdict.open.isEmpty()) {
            synchronized (this) {
                open = with(open, List.of(verdict));
            }
        }
    }

    /**
     * Settles the charges that depend on the response. Returns whether permits were refunded since the last call, so
     * that the fields are outdated. Not thread-safe.
     */
    public boolean settle(ResponseView response) {
        List<Verdict> settling = open;
        if (settling == settled) {
            return false;
        }
        settled = settling;
        settling.forEach(verdict -> verdict.answered(response));
        return verdicts.stream().anyMatch(Verdict::returned);
    }

    /** Reads the limits of a verdict: {@link RuleDecider#peek}, or {@link RuleDecider#peekLater}. */
    @FunctionalInterface
    public interface Peek extends Function<Verdict, CompletableFuture<List<List<LimitStatus>>>> {}

    /** Writes the fields again after permits were refunded. Completes at once if {@code peek} blocks. */
    public CompletableFuture<@Nullable Void> writeReturned(Peek peek) {
        return statuses(verdict -> verdict.returned() ? peek.apply(verdict) : completedFuture(verdict.statuses()))
                .thenAccept(statuses -> headers(statuses).writeTo(fields()));
    }

    /**
     * Writes the state of the limits once the request is rejected. Completes at once if {@code peek} blocks.
     *
     * @param decision the rejection; it may be one of a method that the handler called
     * @param style of the rejection, if its rule is unknown
     */
    public CompletableFuture<@Nullable Void> writeRejection(Peek peek, Decision decision, HeaderStyle style) {
        return rejectionHeaders(peek, decision, style).thenAccept(headers -> {
            rejection = headers;
            headers.writeTo(fields());
            changed();
        });
    }

    /** Returns the name of a policy in the response, consistent with the fields of the rejection. */
    public String nameOf(String policy) {
        return rejection == null ? PolicyText.nameOf(policy) : rejection.nameOf(policy);
    }

    private CompletableFuture<RateLimitHeaders> rejectionHeaders(Peek peek, Decision decision, HeaderStyle style) {
        if (verdicts.size() == 1 && verdicts.get(0).decision == decision) {
            return completedFuture(headers(verdicts.get(0), decision));
        }
        return statuses(verdict -> verdict.permitted ? peek.apply(verdict) : completedFuture(verdict.statuses()))
                .thenApply(statuses -> {
                    RateLimitHeaders headers = headers(statuses);
                    if (verdicts.stream().noneMatch(verdict -> verdict.decision == decision)) {
                        addUnknown(headers, decision, style);
                    }
                    return headers;
                });
    }

    /** The state of the limits of each verdict, in their order. */
    private CompletableFuture<List<List<List<LimitStatus>>>> statuses(
            Function<Verdict, CompletableFuture<List<List<LimitStatus>>>> read) {
        CompletableFuture<List<List<List<LimitStatus>>>> all = completedFuture(List.of());
        for (Verdict verdict : verdicts) {
            all = all.thenCombine(read.apply(verdict), (known, statuses) -> with(known, List.of(statuses)));
        }
        return all;
    }

    /**
     * Returns whether the application is overloaded, rather than the client too fast.
     */
    public boolean isOverload(Decision decision) {
        if (rejectedCall != null && rejectedCall.decision == decision) {
            return rejectedCall.isOverload(false);
        }
        for (Verdict verdict : verdicts) {
            if (verdict.decision == decision) {
                return verdict.isOverload(true);
            }
        }
        return false;
    }

    /** Refunds the permits of all verdicts, because another decision rejected the request. */
    public void giveBack() {
        verdicts.forEach(Verdict::giveBack);
    }

    /** Releases the permits that the request holds, at its end. */
    public void close() {
        verdicts.forEach(Verdict::close);
    }

    /** Adds the fields of a rejection outside of the request's own rules. */
    private void addUnknown(RateLimitHeaders headers, Decision decision, HeaderStyle style) {
        if (rejectedCall == null || rejectedCall.decision != decision) {
            for (Decision part : decision.parts()) {
                List<LimitStatus> statuses = part.limits();
                if (!statuses.isEmpty()) {
                    headers.add(style, texts.of(part.rule()), statuses);
                }
            }
            return;
        }
        for (int i = 0; i < rejectedCall.rules.size(); i++) {
            List<LimitStatus> statuses = rejectedCall.statuses().get(i);
            if (!statuses.isEmpty()) {
                headers.add(
                        rejectedCall.rules.get(i), texts.of(rejectedCall.asked(i)), rejectedCall.charge(i), statuses);
            }
        }
    }

    /** Returns the fields of the latest verdict and earlier ones. */
    private RateLimitHeaders headers(Verdict latest, Decision decision) {
        if (verdicts.size() > 1
                || !latest.counted
                || latest.rules.size() != 1
                || latest.permitted && !latest.waited().isZero()) {
            return headers(verdicts.stream().map(Verdict::statuses).toList());
        }
        // fast path for a single verdict
        RateLimitHeaders headers = new RateLimitHeaders(delay);
        Charge charge = latest.charges.get(0);
        PolicyText text = texts.of(charge.rule());
        if (latest.permitted) {
            headers.add(latest.rules.get(0), text, charge, decision);
        } else {
            headers.add(latest.rules.get(0), text, charge, decision.limits());
        }
        return headers;
    }

    /** Where the limits of all rules stand, in the order of the rules; those of annotations last. */
    private RateLimitHeaders headers(List<List<List<LimitStatus>>> statuses) {
        record Standing(RateLimitRule rule, PolicyText text, Charge charge, List<LimitStatus> statuses) {}
        List<Standing> standings = new ArrayList<>();
        for (int index = 0; index < statuses.size(); index++) {
            Verdict verdict = verdicts.get(index);
            List<List<LimitStatus>> byRule = statuses.get(index);
            for (int i = 0; i < byRule.size(); i++) {
                if (byRule.get(i).isEmpty()) {
                    continue; // the state is unknown
                }
                standings.add(new Standing(
                        verdict.rules.get(i), texts.of(verdict.asked(i)), verdict.charges.get(i), byRule.get(i)));
            }
        }
        standings.sort(Comparator.comparingInt(standing -> position(standing.rule())));
        RateLimitHeaders headers = new RateLimitHeaders(delay);
        for (Standing standing : standings) {
            headers.add(standing.rule(), standing.text(), standing.charge(), standing.statuses());
        }
        return headers;
    }

    private int position(RateLimitRule rule) {
        int position = order.indexOf(rule);
        return position < 0 ? order.size() : position;
    }
}
