package dev.limiter.spring.resolve;

import dev.limiter.TimeSource;
import dev.limiter.spring.context.RateLimitContext;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The results of the {@code limit-resolver} of a rule, by key. The first request of a key calls the resolver, and other
 * requests of the key wait for the result. Later requests get the last result; once it is older than
 * {@code limit-cache}, it is refreshed in the background. If the resolver fails, keys keep their last results, and no
 * request waits for it. Thread-safe.
 */
public final class ResolverCache {

    /** The time until a failed call is repeated, if {@code limit-cache} is longer. */
    static final long RETRY_NANOS = Duration.ofMinutes(1).toNanos();

    private final LruCache<Result> results;
    private final ConcurrentMap<String, Question> questions = new ConcurrentHashMap<>();
    private final RequestReads reads = new RequestReads();
    private final ResolverStatus status;
    private final Executor background;
    private final TimeSource clock;
    private final LongSupplier era;

    /**
     * The resolver of a rule.
     *
     * @param function returns null for the rule's own limit
     * @param remember how long a result is valid
     */
    public record Resolver(Function<RateLimitContext, @Nullable Object> function, Duration remember) {}

    private record Result(@Nullable Object value, long since, boolean failed, long era) {

        boolean isValid(long now, Duration remember) {
            long nanos = failed ? Math.min(RETRY_NANOS, remember.toNanos()) : remember.toNanos();
            return now >= since && now - since < nanos;
        }
    }

    /** A pending call of the resolver; {@code asker}: the calling thread, null in the background. */
    private record Question(@Nullable Thread asker, CompletableFuture<@Nullable Object> result) {

        Question(@Nullable Thread asker) {
            this(asker, new CompletableFuture<>());
        }
    }

    /** {@code era}: results are valid only in the era in which the resolver was called. */
    ResolverCache(long maxKeys, ResolverStatus status, Executor background, TimeSource clock, LongSupplier era) {
        this.results = new LruCache<>(maxKeys);
        this.status = status;
        this.background = background;
        this.clock = clock;
        this.era = era;
    }

    /**
     * Returns the result for a key; null for the rule's own limit, also if the resolver fails for a key without a
     * result.
     */
    public @Nullable Object get(String key, RateLimitContext context, Resolver resolver) {
        Result last = result(key);
        if (last != null && last.isValid(clock.epochNanos(), resolver.remember)) {
            return last.value;
        }
        boolean needed = last == null || resolver.remember.isZero();
        if (needed && !status.isFailing() || reads.needsLiveRequest()) {
            return ask(key, context, resolver, last);
        }
        refresh(key, context, resolver, last);
        return value(last);
    }

    /** Returns the last result for a key, even if it has expired; null for the rule's own limit. */
    public @Nullable Object last(String key) {
        return value(result(key));
    }

    /** Returns the result for a hypothetical request; stores nothing. */
    public @Nullable Object predict(String key, RateLimitContext context, Resolver resolver) {
        Result last = result(key);
        if (last != null && last.isValid(clock.epochNanos(), resolver.remember)) {
            return last.value;
        }
        try {
            return resolver.function.apply(context);
        } catch (RuntimeException failure) {
            return value(last);
        }
    }

    private @Nullable Result result(String key) {
        Result last = results.get(key);
        return last == null || last.era != era.getAsLong() ? null : last;
    }

    private static @Nullable Object value(@Nullable Result result) {
        return result == null ? null : result.value;
    }

    private @Nullable Object ask(String key, RateLimitContext context, Resolver resolver, @Nullable Result last) {
        Question mine = new Question(Thread.currentThread());
        Question other = begin(key, mine, last);
        if (other == null) {
            return resolve(key, mine, DetachedContext.live(context, reads), resolver, last);
        }
        // A resolver may call itself for the same key, and must not wait for itself. The background may be slow.
        boolean passes = other.asker == null || other.asker == mine.asker;
        return passes ? last(key) : other.result.join();
    }

    private void refresh(String key, RateLimitContext context, Resolver resolver, @Nullable Result last) {
        if (questions.containsKey(key)) {
            return;
        }
        Question mine = new Question(null);
        try {
            DetachedContext copy = DetachedContext.copy(context, reads);
            if (begin(key, mine, last) == null) {
                background.execute(() -> resolve(key, mine, copy, resolver, last));
            }
        } catch (RejectedExecutionException busy) {
            questions.remove(key, mine); // a later request tries again
        } catch (RuntimeException unreadable) {
            status.failed(unreadable);
        }
    }

    /** Registers a call. Returns null, or the conflicting call, which may have completed. */
    private @Nullable Question begin(String key, Question mine, @Nullable Result last) {
        Question other = questions.putIfAbsent(key, mine);
        if (other == null && !Objects.equals(result(key), last)) {
            questions.remove(key, mine);
            mine.result.complete(last(key)); // other threads may wait for it
            return mine;
        }
        return other;
    }

    /** Calls the resolver, stores the result and completes the call. */
    private @Nullable Object resolve(
            String key, Question question, DetachedContext context, Resolver resolver, @Nullable Result last) {
        long asked = era.getAsLong();
        long since = clock.epochNanos();
        Object value = value(last);
        try {
            value = resolver.function.apply(context);
            status.succeeded();
            results.put(key, new Result(value, since, false, asked));
        } catch (Throwable failure) { // including undeclared checked exceptions of Kotlin
            if (context.isComplete()) {
                status.failed(failure);
                results.put(key, new Result(value, since, true, asked));
            }
        } finally {
            questions.remove(key, question);
            question.result.complete(value);
        }
        return value;
    }
}
