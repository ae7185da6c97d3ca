package dev.limiter.spring.redis;

import dev.limiter.redis.server.SharedSamples;
import dev.limiter.spring.operate.series.DecisionSeries;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Tells other instances what this one decides, and hears them, once a second: one call of Redis. While that fails, this
 * instance is counted alone, and the log says so once. Never blocks; runs in one thread.
 */
public final class DecisionSeriesSync implements Runnable {

    private static final Log logger = LogFactory.getLog(DecisionSeriesSync.class);
    private static final long GIVEN_UP_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final SharedSamples samples;
    private final DecisionSeries series;
    private CompletableFuture<?> call = CompletableFuture.completedFuture(null);
    private long called;
    private volatile boolean failing;

    public DecisionSeriesSync(SharedSamples samples, DecisionSeries series) {
        this.samples = samples;
        this.series = series;
    }

    @Override
    public void run() {
        String text = series.share();
        if (call.isDone() || System.nanoTime() - called > GIVEN_UP_NANOS) {
            called = System.nanoTime();
            call = exchange(text);
        }
    }

    private CompletableFuture<?> exchange(String text) {
        try {
            return samples.exchange(text).whenComplete(this::heard).toCompletableFuture();
        } catch (RuntimeException failure) {
            heard(null, failure);
            return CompletableFuture.failedFuture(failure);
        }
    }

    private void heard(@Nullable List<String> texts, @Nullable Throwable failure) {
        if (texts != null) {
            failing = false;
            texts.forEach(series::hear);
        } else if (!failing) {
            failing = true;
            logger.warn(
                    "The page shows the decisions of this instance alone, since Redis does not tell those of others: "
                            + failure);
        }
    }
}
