package dev.limiter.spring.decide;

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

    /** Writes the fields again after a refund. May block like {@link RuleDecider#peek}. */
    public void writeReturned(RuleDecider decider) {
        headers(verdict -> verdict.returned() ? decider.peek(verdict) : verdict.statuses())
                .writeTo(fields());
    }

    /**
     * Writes the fields of a rejection. May block like {@link RuleDecider#peek}.
     *
     * @param decision the rejection, possibly of a method that the handler called
     * @param style the style for a rejection by an unknown rule
     */
    public void writeRejection(RuleDecider decider, Decision decision, HeaderStyle style) {
        rejection = rejectionHeaders(decider, decision, style);
        rejection.writeTo(fields());
        changed();
    }

    /** Returns the name of a policy in the response, consistent with the fields of the rejection. */
    public String nameOf(String policy) {
        return rejection == null ? PolicyText.nameOf(policy) : rejection.nameOf(policy);
    }

    private RateLimitHeaders rejectionHeaders(RuleDecider decider, Decision decision, HeaderStyle style) {
        if (verdicts.size() == 1 && verdicts.get(0).decision == decision) {
            return headers(verdicts.get(0), decision);
        }
        RateLimitHeaders headers = headers(verdict -> verdict.permitted ? decider.peek(verdict) : verdict.statuses());
        if (verdicts.stream().noneMatch(verdict -> verdict.decision == decision)) {
            addUnknown(headers, decision, style);
        }
        return headers;
    }

    /**
     * Returns whether the application is overloaded, rather than the client too fast.
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
            return headers(Verdict::statuses);
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

    /** Returns the fields of all rules, in the order of the rules; annotations come last. */
    private RateLimitHeaders headers(Function<Verdict, List<List<LimitStatus>>> statuses) {
        record Standing(RateLimitRule rule, PolicyText text, Charge charge, List<LimitStatus> statuses) {}
        List<Standing> standings = new ArrayList<>();
        for (Verdict verdict : verdicts) {
            List<List<LimitStatus>> byRule = statuses.apply(verdict);
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
