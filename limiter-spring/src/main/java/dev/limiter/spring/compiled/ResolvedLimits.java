package dev.limiter.spring.compiled;

import dev.limiter.Limit;
import dev.limiter.Rule;
import dev.limiter.TimeSource;
import dev.limiter.spi.OutOfRangeException;
import dev.limiter.spring.context.RateLimitContext;
import dev.limiter.spring.expression.RuleEvaluationException;
import dev.limiter.spring.failure.LimiterConfigurationException;
import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongFunction;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The limit of each key, from where the application keeps it. To the core they are rules of the same name, so that a
 * key keeps what it used when its limit changes. Answers are remembered for a while, those of so many keys at most.
 * Thread-safe; two requests of a new key may both ask.
 */
public final class ResolvedLimits {

    /**
     * The most keys with a remembered limit. Beyond that all are resolved anew: a bound without an order of the keys.
     */
    static final int MAX_REMEMBERED = 10_000;

    private final String where;
    private final Function<RateLimitContext, @Nullable Object> source;
    private final LongFunction<Limit> ofPermits;
    private final Consumer<Limit> check;
    private final long nanos;
    private final TimeSource clock;
    private final LongSupplier era;
    private final ConcurrentMap<String, Answer> answers = new ConcurrentHashMap<>();

    /** {@code rule}: null for the rule's own. */
    private record Answer(@Nullable Rule rule, long since, long era) {}

    /**
     * @param where the property that names the source, for messages
     * @param source gives a {@link Limit}, a number of permits, or null for the limit of the rule
     * @param ofPermits the limit of the rule with another number of permits
     * @param check throws {@link LimiterConfigurationException} for a limit that the rule cannot have
     * @param remember for how long an answer holds
     * @param clock a step back ends what was remembered
     * @param era answers hold for the one in which they were given
     */
    public ResolvedLimits(
            String where,
            Function<RateLimitContext, @Nullable Object> source,
            LongFunction<Limit> ofPermits,
            Consumer<Limit> check,
            Duration remember,
            TimeSource clock,
            LongSupplier era) {
        this.where = where;
        this.source = source;
        this.ofPermits = ofPermits;
        this.check = check;
        this.nanos = remember.toNanos();
        this.clock = clock;
        this.era = era;
    }

    /**
     * The limits for this request or call.
     *
     * @param key the key of the bucket
     * @param own where the source knows none
     * @throws RuleEvaluationException if the source fails, or gives what is no limit
     */
    Rule of(String key, RateLimitContext context, Rule own) {
        Answer known = remembered(key);
        if (known == null) {
            long since = clock.epochNanos();
            long begun = era.getAsLong();
            known = new Answer(rule(source.apply(context), own.name()), since, begun);
            if (answers.size() >= MAX_REMEMBERED) {
                answers.clear();
            }
            answers.put(key, known);
        }
        return known.rule() == null ? own : known.rule();
    }

    /** The rule for a hypothetical request: the answer is not remembered, because the key belongs to a client. */
    Rule prediction(String key, RateLimitContext context, Rule own) {
        Answer known = remembered(key);
        Rule rule = known == null ? rule(source.apply(context), own.name()) : known.rule();
        return rule == null ? own : rule;
    }

    /** The rule by the last answer for a key, whether or not it still holds; {@code own} as in {@link #of}. */
    Rule last(String key, Rule own) {
        Answer known = given(key);
        return known == null || known.rule() == null ? own : known.rule();
    }

    /** Null if there is none of this era. */
    private @Nullable Answer given(String key) {
        Answer known = answers.get(key);
        return known == null || known.era() != era.getAsLong() ? null : known;
    }

    /** Null if there is none that holds. */
    private @Nullable Answer remembered(String key) {
        Answer known = given(key);
        if (known == null) {
            return null;
        }
        long age = clock.epochNanos() - known.since();
        return age >= 0 && age < nanos ? known : null;
    }

    private @Nullable Rule rule(@Nullable Object value, String name) {
        if (value == null) {
            return null;
        }
        try {
            Limit limit = limit(value);
            check.accept(limit);
            return Rule.of(name, limit);
        } catch (LimiterConfigurationException | OutOfRangeException impossible) {
            throw new RuleEvaluationException(where + " gave " + value + ": " + impossible.getMessage(), impossible);
        }
    }

    private Limit limit(Object value) {
        if (value instanceof Limit limit) {
            return limit.name().isEmpty() ? limit : limit.named("");
        }
        if (value instanceof Number number && number.longValue() == number.doubleValue()) {
            return ofPermits.apply(number.longValue());
        }
        throw new RuleEvaluationException(
                where + " gave " + value + ", but a limit is a whole number of permits, or a dev.limiter.Limit", null);
    }
}
