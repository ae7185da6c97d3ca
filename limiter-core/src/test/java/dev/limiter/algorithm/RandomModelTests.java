package dev.limiter.algorithm;

import static dev.limiter.VirtualTime.STEP;
import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.Decision;
import dev.limiter.Limit;
import dev.limiter.RateLimiters;
import dev.limiter.Rule;
import dev.limiter.TestedStorage;
import dev.limiter.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Compares each algorithm with its {@link Model}, over random steps of time, costs and returned permits. */
class RandomModelTests {

    private static final int STEPS = VirtualTime.times(10_000);

    static Stream<Limit> limits() {
        List<Limit> limits = new ArrayList<>();
        Duration second = Duration.ofSeconds(1);
        limits.addAll(Model.limits(3, second));
        limits.addAll(Model.limits(7, second));
        limits.addAll(Model.limits(100, Duration.ofMinutes(1)));
        limits.addAll(Model.limits(7_000_000, second));
        limits.addAll(Model.limits(1, Duration.ofDays(30)));
        limits.addAll(Model.limits(10_000_000, second));
        limits.addAll(Model.limits(9_999_991, second));
        limits.addAll(Model.limits(10_000_019, Duration.ofDays(30)));
        limits.addAll(Model.limits(17, VirtualTime.window(1009)));
        // buckets of this size are rounded; BoundTests shows by how much
        limits.removeIf(limit -> limit.limit() == 10_000_019
                && (limit instanceof Limit.TokenBucket || limit instanceof Limit.LeakyBucket)
                && limit.capacity() > 400);
        return limits.stream();
    }

    @ParameterizedTest
    @MethodSource("limits")
    void behavesLikeTheModel(Limit limit) {
        long seed = Long.getLong("limiter.seed", 20_261_121L);
        new Run(limit, seed).run();
    }

    private record TakenPermits(Decision decision, Object receipt, long permits, long returnedBefore) {}

    private static final class Run {

        private final Limit limit;
        private final long window;
        private final long seed;
        private final SplittableRandom random;
        private final Model model;
        private final Rule rule;
        private final VirtualTime time = new VirtualTime();
        private final RateLimiters limiters = TestedStorage.limiters(time);
        private final List<TakenPermits> taken = new ArrayList<>();
        private long wait;
        private long returned;
        private int permitted;
        private int rejected;

        Run(Limit limit, long seed) {
            this.limit = limit;
            this.window = limit.window().toNanos();
            this.seed = seed;
            this.random = new SplittableRandom(seed);
            this.model = Model.of(limit);
            this.rule = Rule.of("rule", limit);
        }

        void run() {
            for (int i = 0; i < STEPS; i++) {
                if (time.now() > (1L << 62) - 10 * window) {
                    break;
                }
                time.advance(step());
                try {
                    if (random.nextInt(12) == 0 && !taken.isEmpty()) {
                        giveBack();
                    } else {
                        take(permits());
                    }
                    if (i % 50 == 0) {
                        limiters.storage().cleanUp();
                    }
                } catch (AssertionError | RuntimeException e) {
                    throw new AssertionError("-Dlimiter.seed=" + seed + ", step " + i + " of " + limit, e);
                }
            }
            assertThat(permitted).as("permitted, seed %d", seed).isPositive();
            assertThat(rejected).as("rejected, seed %d", seed).isPositive();
        }

        private long step() {
            return switch (random.nextInt(14)) {
                case 0, 1, 2 -> 0;
                case 3, 4 -> random.nextLong(4) * STEP;
                case 5, 6, 7 -> wait;
                case 8 -> Math.max(wait - STEP, 0);
                case 9 -> window / limit.limit();
                case 10 -> random.nextLong(window) / 100;
                case 11 -> random.nextLong(window);
                case 12 -> random.nextInt(10) == 0 ? window : window / 10;
                default -> random.nextInt(20) == 0 ? random.nextLong(3 * window) : window / 7;
            };
        }

        private long permits() {
            long capacity = limit.capacity();
            return switch (random.nextInt(16)) {
                case 0 -> 0;
                case 1 -> capacity;
                case 2 -> capacity + 1;
                case 3, 4, 5 -> 1 + random.nextLong(capacity);
                case 6, 7, 8 -> Math.max(model.remaining(time.now()), 1);
                default -> 1;
            };
        }

        private void take(long permits) {
            long now = time.now();
            boolean expected = model.permits(now, permits);
            Decision decision = limiters.tryAcquire(rule, "key", permits);
            assertThat(decision.permitted()).as("permitted %d", permits).isEqualTo(expected);
            assertThat(decision.never()).isEqualTo(permits > limit.capacity());
            wait = 0;
            if (expected && permits > 0) {
                permitted++;
                taken.add(new TakenPermits(decision, model.take(now, permits), permits, returned));
                if (taken.size() > 20) {
                    taken.remove(0);
                }
            }
            assertThat(decision.remaining()).isEqualTo(model.remaining(now));
            assertThat(decision.retryAfter().isPresent()).isEqualTo(!expected && permits <= limit.capacity());
            decision.retryAfter().ifPresent(after -> {
                rejected++;
                wait = after.toNanos();
            });
            if (wait > 0 && random.nextInt(3) == 0) {
                time.advance(wait - STEP);
                assertThat(model.permits(time.now(), permits)).isFalse();
                assertThat(limiters.tryAcquire(rule, "key", permits).permitted())
                        .isFalse();
                time.advance(STEP);
                assertThat(model.permits(time.now(), permits)).isTrue();
                take(permits);
            }
        }

        private void giveBack() {
            TakenPermits last = taken.remove(random.nextInt(3) == 0 ? random.nextInt(taken.size()) : taken.size() - 1);
            last.decision().giveBack();
            boolean changed =
                    model.giveBack(last.receipt(), time.now(), last.permits(), returned - last.returnedBefore());
            returned += changed ? last.permits() : 0;
            last.decision().giveBack();
            assertThat(limiters.tryAcquire(rule, "key", 0).remaining())
                    .isEqualTo(Math.min(model.remaining(time.now()), limit.capacity()));
        }
    }
}
