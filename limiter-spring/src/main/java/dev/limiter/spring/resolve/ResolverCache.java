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
 * requests of the key wait for the result. Later requests get the last result; if it is older than {@code limit-cache},
 * it is refreshed in the background. If the resolver fails, keys keep their last results, and no request waits for it.
 * Thread-safe.
 */
public final class ResolverCache {

    /** How long a failed question is not repeated, if {@code limit-cache} is longer than that. */
    static final long RETRY_NANOS = Duration.ofMinutes(1).toNanos();

    private final LruCache<Result> results;
    private final ConcurrentMap<String, Question> questions = new ConcurrentHashMap<>();
    private final RequestReads reads = new RequestReads();
    private final ResolverStatus status;
    private final Executor background;
    private final TimeSource clock;
    private final LongSupplier era;

    /**
     * A resolver as a rule configures it.
     *
     * @param function returns null for the rule's own limit
     * @param remember how long a result holds
     */
    public record Resolver(Function<RateLimitContext, @Nullable Object> function, Duration remember) {}

    private record Result(@Nullable Object value, long since, boolean failed, long era) {

        boolean holds(long now, Duration remember) {
            long nanos = failed ? Math.min(RETRY_NANOS, remember.toNanos()) : remember.toNanos();
            return now >= since && now - since < nanos;
        }
    }

    /** A question that has no result yet; {@code asker}: the thread that asks, null in the background. */
    private record Question(@Nullable Thread asker, CompletableFuture<@Nullable Object> result) {

        Question(@Nullable Thread asker) {
            this(asker, new CompletableFuture<>());
        }
    }

    /** {@code era}: results hold only in the one in which they were asked for. */
    ResolverCache(long maxKeys, ResolverStatus status, Executor background, TimeSource clock, LongSupplier era) {
        this.results = new LruCache<>(maxKeys);
        this.status = status;
        this.background = background;
        this.clock = clock;
        this.era = era;
    }

    /** The result for a key; null for the rule's own limit, also if the resolver fails and the key has no result yet. */
    public @Nullable Object get(String key, RateLimitContext context, Resolver resolver) {
        Result last = result(key);
        if (last != null && last.holds(clock.epochNanos(), resolver.remember)) {
            return last.value;
        }
        boolean needed = last == null || resolver.remember.isZero();
        if (needed && !status.isFailing() || reads.needsLiveRequest()) {
            return ask(key, context, resolver, last);
        }
        refresh(key, context, resolver, last);
        return value(last);
    }

    /** The last result for a key, whether or not it still holds; null for the rule's own limit. */
    public @Nullable Object last(String key) {
        return value(result(key));
    }

    /** The result for a request that is only described: nothing is stored. */
    public @Nullable Object predict(String key, RateLimitContext context, Resolver resolver) {
        Result last = result(key);
        if (last != null && last.holds(clock.epochNanos(), resolver.remember)) {
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
        // calls of a resolver may come back to its own key: it must not wait for itself. The background may be slow.
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

    /** Begins a question. Returns null, or the question that is in the way, which may have ended. */
    private @Nullable Question begin(String key, Question mine, @Nullable Result last) {
        Question other = questions.putIfAbsent(key, mine);
        if (other == null && !Objects.equals(result(key), last)) {
            questions.remove(key, mine);
            mine.result.complete(last(key)); // others may wait for it already
            return mine;
        }
        return other;
    }

    /** Calls the resolver, stores the result, and completes the question. */
    private @Nullable Object resolve(
            String key, Question question, DetachedContext context, Resolver resolver, @Nullable Result last) {
        long asked = era.getAsLong();
        long since = clock.epochNanos();
        Object value = value(last);
        try {
            value = resolver.function.apply(context);
            status.succeeded();
            results.put(key, new Result(value, since, false, asked));
        } catch (Throwable failure) { // of any kind: Kotlin does not declare checked exceptions
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
