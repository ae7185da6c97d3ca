package dev.limiter.waiting;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.Charge;
import dev.limiter.Limit;
import dev.limiter.RateLimiterFactory;
import dev.limiter.RemoteStorageView;
import dev.limiter.Rule;
import dev.limiter.VirtualTime;
import dev.limiter.VirtualWaiting;
import dev.limiter.VirtualWaiting.Request;
import dev.limiter.memory.InMemoryRateLimiterStorage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A request for a sliding window that is too far back in the queue is rejected at once. */
class BehindOthersTests {

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration TENTH = Duration.ofMillis(100);
    private static final Duration HOUR = Duration.ofHours(1);

    /** Windows, each with the percentage of a wait that is certain on arrival. */
    static Stream<Arguments> windows() {
        return Stream.of(
                Arguments.of(Limit.slidingWindowLog(10, SECOND), 100),
                Arguments.of(Limit.slidingWindowCounter(10, SECOND), 90),
                Arguments.of(Limit.slidingWindowCounter(10, SECOND).buckets(3), 70),
                Arguments.of(Limit.slidingWindowCounter(10, SECOND).buckets(1), 45));
    }

    @ParameterizedTest
    @MethodSource("windows")
    void requestTooFarBackIsRejectedAtOnce(Limit limit, int certain) {
        Rule rule = Rule.of("rule", limit);
        Line line = new Line(false);
        line.room.decide(rule.charge("key", 10));
        for (int i = 0; i < 55; i++) {
            line.room.waiter(rule.charge("key").maxWait(HOUR));
        }
        Request tooLate = line.room.enter(rule.charge("key").maxWait(TENTH));
        assertThat(tooLate.isRejected()).isTrue();
        assertThat(line.room.limiters.waiting()).isEqualTo(55);
        Request inTime = line.room.waiter(rule.charge("key").maxWait(HOUR));
        line.room.advance(HOUR);
        assertThat(tooLate.outcome().retryAfter().orElseThrow())
                .isBetween(inTime.leftAfter().multipliedBy(certain).dividedBy(100), inTime.leftAfter());
    }

    /** A request that is rejected on arrival could not have been served in time by waiting behind the others. */
    @ParameterizedTest
    @MethodSource("windows")
    void noServableRequestIsRejected(Limit limit) {
        int rejected = 0;
        for (int seed = 0; seed < 30; seed++) {
            List<Arrival> arrivals = arrivals(seed, limit instanceof Limit.SlidingWindowLog ? 1 : 3);
            List<Request> requests = run(limit, arrivals);
            for (int i = 0; i < arrivals.size(); i++) {
                Arrival arrival = arrivals.get(i);
                if (requests.get(i).isRejected() && !arrival.rejectedAtOnce) {
                    // it leaves its permits to others, which is not known on arrival
                    assertThat(limit).isNotInstanceOf(Limit.SlidingWindowLog.class);
                    break;
                }
                if (arrival.rejectedAtOnce) {
                    rejected++;
                    List<Arrival> patient = new ArrayList<>(arrivals.subList(0, i));
                    patient.add(new Arrival(arrival.at, arrival.permits, HOUR));
                    assertThat(run(limit, patient).get(i).leftAfter().minus(arrival.at))
                            .as("request %d of trace %d", i, seed)
                            .isGreaterThan(arrival.maxWait);
                }
            }
        }
        assertThat(rejected).isGreaterThan(30);
    }

    private static final class Arrival {

        private final Duration at;
        private final long permits;
        private final Duration maxWait;
        private boolean rejectedAtOnce;

        Arrival(Duration at, long permits, Duration maxWait) {
            this.at = at;
            this.permits = permits;
            this.maxWait = maxWait;
        }
    }

    private static List<Arrival> arrivals(long seed, int most) {
        SplittableRandom random = new SplittableRandom(seed);
        List<Arrival> arrivals = new ArrayList<>();
        Duration at = Duration.ZERO;
        for (int i = 0; i < 60; i++) {
            at = at.plusNanos(random.nextLong(TENTH.toNanos()));
            arrivals.add(new Arrival(
                    at, 1 + random.nextInt(most), Duration.ofNanos(1 + random.nextLong(4 * SECOND.toNanos()))));
        }
        return arrivals;
    }

    private static List<Request> run(Limit limit, List<Arrival> arrivals) {
        Rule rule = Rule.of("rule", limit);
        Line line = new Line(false);
        List<Request> requests = new ArrayList<>();
        for (Arrival arrival : arrivals) {
            line.room.to(VirtualTime.START + arrival.at.toNanos());
            Request request =
                    line.room.enter(rule.charge("key", arrival.permits).maxWait(arrival.maxWait));
            arrival.rejectedAtOnce = request.isRejected();
            requests.add(request);
        }
        line.room.advance(HOUR);
        return requests;
    }

    /** A check that overlaps with attempts of heads counts no permit twice. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void permitsTakenDuringThePeekAreNotCountedTwice(boolean beforeTheLook) {
        Rule log = Rule.of("log", Limit.slidingWindowLog(1, SECOND));
        Line line = new Line(true);
        line.room.decide(log.charge("key"));
        line.room.waiter(log.charge("key").maxWait(HOUR));
        line.elsewhere.withhold();
        Request last;
        if (beforeTheLook) {
            // the head has its permit, but no reply yet
            line.room.advance(SECOND);
            last = line.room.enter(log.charge("key").maxWait(SECOND));
            line.elsewhere.reply();
            line.elsewhere.reply();
        } else {
            line.room.advance(SECOND.minusNanos(1));
            last = line.room.enter(log.charge("key").maxWait(SECOND.plusNanos(1)));
            line.room.advance(Duration.ofNanos(1));
            line.elsewhere.reply();
            line.elsewhere.reply();
        }
        assertThat(last.waits()).isTrue();
    }

    /** The slowest of several limits determines the wait. */
    @Test
    void requestOfSeveralLimitsWaitsForTheSlowest() {
        Rule rule = Rule.of(
                "rule",
                Limit.slidingWindowLog(1, SECOND).named("second"),
                Limit.slidingWindowLog(4, Duration.ofSeconds(100)).named("minutes"));
        Line line = new Line(false);
        line.room.decide(rule.charge("key"));
        for (int i = 0; i < 3; i++) {
            line.room.waiter(rule.charge("key").maxWait(HOUR));
        }
        Charge fifth = rule.charge("key").maxWait(Duration.ofSeconds(100).minusNanos(1));
        assertThat(line.room.enter(fifth).isRejected()).isTrue();
        Request inTime = line.room.waiter(fifth.maxWait(Duration.ofSeconds(100)));
        line.room.advance(HOUR);
        assertThat(inTime.leftAfter()).isEqualTo(Duration.ofSeconds(100));
    }

    private static final class Line {

        private final VirtualTime time = new VirtualTime();
        private final InMemoryRateLimiterStorage storage =
                new InMemoryRateLimiterStorage(new RateLimiterFactory(), time, 1000);
        private final RemoteStorageView elsewhere = new RemoteStorageView(storage);
        private final VirtualWaiting room;

        Line(boolean remote) {
            this.room = new VirtualWaiting(remote ? elsewhere : storage, time);
        }
    }
}
