package dev.limiter.algorithm;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.Charge;
import dev.limiter.Decision;
import dev.limiter.Limit;
import dev.limiter.LimitStatus;
import dev.limiter.RateLimiters;
import dev.limiter.Rule;
import dev.limiter.VirtualTime;
import dev.limiter.spi.PermitArithmetic;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Compares a rule of several single-number limits with different costs with a {@link Model} for each limit. */
class SeveralNumbersModelTests {

    private static final int STEPS = 10_000;
    private static final Duration SECOND = Duration.ofSeconds(1);

    private final VirtualTime time = new VirtualTime();
    private final RateLimiters limiters =
            RateLimiters.builder().timeSource(time).build();
    private final List<TakenPermits> taken = new ArrayList<>();
    private final int[] outcomes = new int[2];

    /** Per limit, then the maximum, which applies to charges with equal costs. */
    private final long[] returned = new long[4];

    private static int counter(Charge charge, int limit) {
        return PermitArithmetic.isEven(charge) ? 3 : limit;
    }

    private record TakenPermits(Decision decision, List<Object> receipts, Charge charge, long[] returnedBefore) {}

    static Stream<Rule> rules() {
        return Stream.of(
                Rule.of(
                        "buckets",
                        Limit.tokenBucket(7, SECOND),
                        Limit.leakyBucket(40, SECOND.multipliedBy(9)).burst(20).named("second")),
                Rule.of(
                        "windows",
                        Limit.fixedWindow(5, SECOND),
                        Limit.fixedWindow(20, SECOND.multipliedBy(7)).named("second")),
                Rule.of(
                        "three",
                        Limit.fixedWindow(30, SECOND.multipliedBy(11)),
                        Limit.tokenBucket(9, SECOND).named("second"),
                        Limit.tokenBucket(50, SECOND.multipliedBy(10)).burst(15).named("third")));
    }

    @ParameterizedTest
    @MethodSource("rules")
    void behavesLikeTheModels(Rule rule) {
        long seed = Long.getLong("limiter.seed", 20_261_121L);
        SplittableRandom random = new SplittableRandom(seed);
        List<Model> models = rule.limits().stream().map(Model::of).toList();
        long wait = 0;
        for (int i = 0; i < STEPS; i++) {
            time.advance(step(random, wait));
            try {
                if (random.nextInt(12) == 0 && !taken.isEmpty()) {
                    giveBack(models, taken.remove(random.nextInt(taken.size())));
                }
                wait = take(charge(rule, random), models);
                if (i % 50 == 0) {
                    limiters.storage().cleanUp();
                }
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError("-Dlimiter.seed=" + seed + ", step " + i + " of " + rule, e);
            }
        }
        assertThat(outcomes).as("rejected and permitted, seed %d", seed).doesNotContain(0);
    }

    /** Half of the charges cost the same for all limits. */
    private static Charge charge(Rule rule, SplittableRandom random) {
        Charge charge = rule.charge("key", random.nextInt(4) == 0 ? random.nextInt(8) : 1);
        for (Limit limit : random.nextBoolean() ? rule.limits() : List.<Limit>of()) {
            charge = charge.cost(limit.name(), random.nextInt(5));
        }
        return charge;
    }

    private static long step(SplittableRandom random, long wait) {
        return switch (random.nextInt(8)) {
            case 0, 1, 2 -> 0;
            case 3 -> wait;
            case 4 -> Math.max(wait - 1, 0);
            case 5 -> random.nextLong(SECOND.toNanos());
            case 6 -> random.nextInt(50) == 0 ? 20 * SECOND.toNanos() : 1;
            default -> SECOND.toNanos() / 9;
        };
    }

    /** Returns how long to wait. */
    private long take(Charge charge, List<Model> models) {
        long now = time.now();
        List<Boolean> each = IntStream.range(0, models.size())
                .mapToObj(i -> models.get(i).permits(now, charge.permits(i)))
                .toList();
        boolean expected = !each.contains(false);
        Decision decision = limiters.tryAcquire(charge);
        assertThat(decision.permitted()).as("permitted %s", charge).isEqualTo(expected);
        assertThat(decision.limits()).extracting(LimitStatus::permitted).isEqualTo(each);
        outcomes[expected ? 1 : 0]++;
        if (expected && charge.permits() > 0) {
            List<Object> receipts = new ArrayList<>();
            for (int i = 0; i < models.size(); i++) {
                receipts.add(models.get(i).take(now, charge.permits(i)));
            }
            taken.add(new TakenPermits(decision, receipts, charge, returned.clone()));
            if (taken.size() > 10) {
                taken.remove(0);
            }
        }
        assertRemaining(decision, models);
        return decision.retryAfter().map(Duration::toNanos).orElse(0L);
    }

    private void giveBack(List<Model> models, TakenPermits last) {
        last.decision().giveBack();
        last.decision().giveBack();
        Charge charge = last.charge();
        for (int i = 0; i < models.size(); i++) {
            if (charge.permits(i) > 0) {
                int counter = counter(charge, i);
                long since = returned[counter] - last.returnedBefore()[counter];
                models.get(i).giveBack(last.receipts().get(i), time.now(), charge.permits(i), since);
            }
        }
        for (int i = 0; i < models.size(); i++) {
            returned[i] += charge.permits(i);
        }
        returned[3] += charge.permits();
        assertRemaining(limiters.tryAcquire(last.decision().rule(), "key", 0), models);
    }

    private void assertRemaining(Decision decision, List<Model> models) {
        assertThat(decision.limits())
                .extracting(LimitStatus::remaining)
                .isEqualTo(models.stream()
                        .map(model -> model.remaining(time.now()))
                        .toList());
    }
}
