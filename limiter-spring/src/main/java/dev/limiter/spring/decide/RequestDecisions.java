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
 * The decisions about one request so far, on any edge: of the rules that apply by its path, then of its handler. Keeps
 * which charges wait for the response, and writes the fields that tell where the limits stand. Used by one thread after
 * the other, except for {@link #settleWithAnswer}.
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
    /** The {@link #open} ones that were settled last. */
    private List<Verdict> settled = open;

    protected RequestDecisions(PolicyTexts texts) {
        this.texts = texts;
    }

    public abstract RequestView view();

    /** Whether that method is the one that answers the request, rather than one called on the way. */
    public abstract boolean isHandler(Method method, Class<?> targetClass);

    /** Whether the handler may be decided: none was in an earlier dispatch of the request, and it is no error page. */
    public abstract boolean isHandlerOpen();

    /** Where fields are written. They may be written more than once; those of the last time count. */
    protected abstract FieldSink fields();

    /** There are more fields, or more to settle: to be done at once if the response has been committed. */
    protected abstract void changed();

    /** The request would have been rejected by these rules if they were not in shadow mode; unmodifiable. */
    protected abstract void exceeded(List<String> rules);

    /**
     * Remembers the rules that are decided before the request is routed.
     *
     * @param all the rules that apply by paths, in the order in which clients are told of them
     */
    public void arrive(List<RateLimitRule> deciding, List<RateLimitRule> all) {
        decidedOnArrival = deciding;
        order = all;
    }

    /** The rules already decided before routing, with any result. */
    public List<RateLimitRule> decidedOnArrival() {
        return decidedOnArrival;
    }

    /** Whether rules of a handler have let the request through, also those that only watched. */
    public boolean handlerDecided() {
        return handlerDecided;
    }

    /** The rules that have counted the request by its path, also those that only watched. */
    public List<RateLimitRule> rules() {
        return rules;
    }

    /** Adds the verdict of rules of the request. The fields of a rejection are those of the rejection, which follows. */
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

    /** Adds the verdict of the annotation on the handler. Its held permits are released when the request is over. */
    public void add(Verdict verdict) {
        if (verdict.permitted && !(verdict.rules.isEmpty() && verdict.watching.isEmpty())) {
            handlerDecided = true;
        }
        remember(verdict);
        writePermitted(verdict);
        changed();
    }

    /** Adds the rejection that is to be answered, of a method that was called on the way, by any thread. */
    public void addRejection(RateLimitExceededException rejection) {
        if (rejection.details() instanceof Verdict verdict) {
            rejectedCall = verdict;
        }
    }

    /** Has the client told to return so much later than it could, in all that is written of a rejection from now on. */
    public void delay(Duration delay) {
        this.delay = delay;
    }

    /** How much later than it could a rejected client is told to return. */
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

    /** Fields are written at once, also for permitted requests: later the response may be under way. */
    private void writePermitted(Verdict verdict) {
        Decision decision = verdict.decision;
        if (decision != null && verdict.hasFields()) {
            headers(verdict, decision).writeTo(fields());
        }
    }

    /** Settles the charges of a method called on the way, when the response is about to be committed. Thread-safe. */
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
     * that the fields are out of date. By one thread at a time.
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

    /** The name of a policy in the response: as in the fields of the rejection, if these have it. */
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
     * Whether a rejection is no fault of the client: by what all are served at once, or by a limit of the application's
     * own.
     */
    public boolean isOverload(Decision decision) {
        if (rejectedCall != null && rejectedCall.decision == decision) {
            return rejectedCall.isOverload();
        }
        for (Verdict verdict : verdicts) {
            if (verdict.decision == decision) {
                return verdict.isOverload();
            }
        }
        return false;
    }

    /** Returns the permits of all verdicts: another decision rejected the request. */
    public void giveBack() {
        verdicts.forEach(Verdict::giveBack);
    }

    /** Releases the permits that the request holds, because it is over. */
    public void close() {
        verdicts.forEach(Verdict::close);
    }

    /** The rejection of a method that was called on the way. */
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

    /** Where the limits stand that were decided now, and those that were before. */
    private RateLimitHeaders headers(Verdict latest, Decision decision) {
        if (verdicts.size() > 1
                || !latest.counted
                || latest.rules.size() != 1
                || latest.permitted && !latest.waited().isZero()) {
            return headers(verdicts.stream().map(Verdict::statuses).toList());
        }
        // nearly every request: there is no need to collect what is only one
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
                    continue; // their standing is unknown
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
