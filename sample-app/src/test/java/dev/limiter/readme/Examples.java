package dev.limiter.readme;

import dev.limiter.Algorithm;
import dev.limiter.Charge;
import dev.limiter.Decision;
import dev.limiter.Limit;
import dev.limiter.OnFailure;
import dev.limiter.RateLimiterFactory;
import dev.limiter.RateLimiterStrategy;
import dev.limiter.RateLimiters;
import dev.limiter.Rule;
import dev.limiter.TimeSource;
import dev.limiter.failover.FailoverRateLimiterStorage;
import dev.limiter.memory.InMemoryRateLimiterStorage;
import dev.limiter.redis.ConnectingRedis;
import dev.limiter.redis.LettuceRedis;
import dev.limiter.redis.RedisRateLimiterStorage;
import dev.limiter.spi.CompiledLimit;
import dev.limiter.spi.SingleNumberLimit;
import dev.limiter.spi.TakenPermits;
import dev.limiter.spring.annotation.RateLimiter;
import dev.limiter.spring.context.RateLimitContext;
import dev.limiter.spring.context.RequestView;
import dev.limiter.spring.decide.RateLimitListener;
import dev.limiter.spring.key.KeyResolver;
import dev.limiter.spring.key.KeySource;
import dev.limiter.spring.rule.LimitResolver;
import dev.limiter.spring.web.RejectionHandler;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.codec.ByteArrayCodec;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.stereotype.Component;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

// The Java examples of README.md and docs/, word by word: ReadmeTests compares them.

@RestController
class HelloController {

    @RateLimiter(limit = 3, window = "1m", key = "ip")
    @GetMapping("/hello")
    String hello() {
        return "hello";
    }
}

/** The bean that the configuration of the manual names. */
@Component("plans")
class Plans implements LimitResolver {

    public String of(RequestView request) {
        return request.isUserInRole("PARTNER") ? "partner" : null;
    }

    @Override
    public Object resolve(RateLimitContext context) {
        return null;
    }
}

@Configuration(proxyBeanMethods = false)
class LimiterBeans {

    // used as `key: tenant`
    @Bean
    KeyResolver tenant() {
        return context -> context.request() == null ? null : context.request().getHeader("X-Tenant");
    }

    // used as `key: "user:company"`
    @Bean
    KeySource user() {
        Map<String, Map<String, String>> users = Map.of("alice", Map.of("company", "acme"));
        return (name, context) -> context.request() == null || context.request().principal() == null
                ? null
                : users.getOrDefault(context.request().principal().getName(), Map.of())
                        .get(name);
    }

    // replaces the response to rejected requests; the RateLimit fields are already set
    @Bean
    RejectionHandler rejectionHandler() {
        return (request, response, decision) -> response.sendError(503);
    }

    // receives every decision; the hash does not reveal the key
    @Bean
    RateLimitListener listener() {
        return event -> System.out.println(event.rule() + " " + event.outcome() + " " + event.keyHash());
    }

    // replaces the clock, in tests
    @Bean
    TimeSource timeSource() {
        return () -> 1_800_000_000_000_000_000L;
    }
}

/** Daily windows begin at 06:00 UTC, with the business day; other fixed windows are those of the library. */
@Component
class BusinessDayStrategy implements RateLimiterStrategy {

    private final RateLimiterStrategy others = new RateLimiterFactory().strategy(Algorithm.FIXED_WINDOW);

    @Override
    public Algorithm algorithm() {
        return Algorithm.FIXED_WINDOW;
    }

    @Override
    public CompiledLimit compile(Limit limit, long now) {
        return isDaily(limit) ? new BusinessDay(limit) : others.compile(limit, now);
    }

    static boolean isDaily(Limit limit) {
        return limit instanceof Limit.FixedWindow window
                && !window.alignedToFirst()
                && window.window().equals(Duration.ofDays(1))
                && window.limit() <= 1_000_000_000_000L; // so that the state fits a long
    }
}

/** The state of a key: number of the day x (limit + 1) + used permits. */
class BusinessDay extends SingleNumberLimit {

    static final long DAY = Duration.ofDays(1).toNanos();
    static final long BEGIN = Duration.ofHours(6).toNanos();

    private final long limit;

    BusinessDay(Limit limit) {
        super(limit);
        this.limit = limit.limit();
    }

    @Override
    public long fresh() {
        return 0;
    }

    @Override
    public long take(long value, long now, long permits) {
        return permits <= remaining(value, now) ? unused(now) + used(value, now) + permits : REJECTED;
    }

    @Override
    public long settle(long value, long now, long longestWait) {
        // the clock stepped back to another day: the use counts now
        return value > unused(now) + limit ? unused(now) + value % (limit + 1) : value;
    }

    @Override
    public long waitNanos(long value, long now, long permits) {
        if (permits > limit) {
            return CompiledLimit.NEVER;
        }
        return permits <= remaining(value, now) ? 0 : DAY - Math.floorMod(now - BEGIN, DAY);
    }

    @Override
    public long remaining(long value, long now) {
        return limit - used(value, now);
    }

    @Override
    public long freshAt(long value) {
        return value % (limit + 1) == 0 ? Long.MIN_VALUE : BEGIN + (value / (limit + 1) + 1) * DAY;
    }

    @Override
    public long giveBack(long value, TakenPermits taken, long now) {
        boolean sameDay = taken.mark() != NOTHING && taken.mark() / (limit + 1) == value / (limit + 1);
        return sameDay ? value - Math.min(taken.permits(), value % (limit + 1)) : value;
    }

    private long unused(long now) {
        return Math.floorDiv(now - BEGIN, DAY) * (limit + 1);
    }

    private long used(long value, long now) {
        return Math.min(Math.max(value - unused(now), 0), limit);
    }
}

class WithoutSpring {

    String example() {
        Limit burst = Limit.tokenBucket(100, Duration.ofSeconds(1)).burst(200).named("burst");
        Limit hourly = Limit.fixedWindow(1000, Duration.ofHours(1)).named("hourly");
        Rule checkout = Rule.of("checkout", burst, hourly);
        Rule site = Rule.of("site", Limit.slidingWindowCounter(5000, Duration.ofMinutes(1)));

        try (RateLimiters limiters = RateLimiters.builder().maxKeys(100_000).build()) {
            Decision decision = limiters.tryAcquire(checkout, "alice"); // never waits
            if (!decision.permitted()) {
                // more than 200 at once are never permitted
                return decision.retryAfter().map(wait -> "retry after " + wait).orElse("take fewer");
            }
            decision.giveBack(); // returns what it took

            Charge alice = checkout.charge("alice", 5); // five permits
            Charge cheap = alice.cost("hourly", 1); // five of burst, one of hourly
            Decision both = limiters.tryAcquire(cheap, site.charge()); // all or nothing
            // waits for its turn, or is rejected at once; acquireAsync waits without a thread
            limiters.acquire(checkout, "bob", Duration.ofMillis(200)).giveBack();
            Decision now = limiters.peek(checkout, "alice"); // charges nothing
            limiters.reset(checkout, "alice");
            return both.permitted() + ", then " + now.remaining() + " left";
        }
    }
}

/** Run by {@code WithoutSpringTests} of limiter-redis, with a prefix of its own. */
@SuppressWarnings("FutureReturnValueIgnored")
class RedisWithoutSpring {

    Decision example(RedisClient client, RedisURI uri, ScheduledExecutorService scheduler, Rule checkout) {
        ConnectingRedis connection = new ConnectingRedis(
                () -> client.connectAsync(ByteArrayCodec.INSTANCE, uri).thenApply(LettuceRedis::new));
        connection.connect();
        RedisRateLimiterStorage redis =
                RedisRateLimiterStorage.builder(connection).build();
        FailoverRateLimiterStorage storage = FailoverRateLimiterStorage.builder(
                        redis, new InMemoryRateLimiterStorage(new RateLimiterFactory(), TimeSource.system(), 100_000))
                .onFailure(rule -> OnFailure.LOCAL)
                .build();
        RateLimiters limiters = new RateLimiters(storage);
        scheduler.scheduleWithFixedDelay(storage::cleanUp, 1, 1, TimeUnit.SECONDS);

        Decision decision = limiters.tryAcquire(checkout, "alice");
        return decision;
    }
}
