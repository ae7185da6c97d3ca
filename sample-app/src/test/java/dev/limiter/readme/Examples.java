package dev.limiter.readme;

import dev.limiter.Algorithm;
import dev.limiter.Charge;
import dev.limiter.CompiledLimit;
import dev.limiter.Decision;
import dev.limiter.Limit;
import dev.limiter.LimitState;
import dev.limiter.NumberLimit;
import dev.limiter.OnFailure;
import dev.limiter.RateLimitExceededException;
import dev.limiter.RateLimiterFactory;
import dev.limiter.RateLimiterStrategy;
import dev.limiter.RateLimiters;
import dev.limiter.ReturningFuture;
import dev.limiter.Rule;
import dev.limiter.TimeSource;
import dev.limiter.algorithm.FixedWindowStrategy;
import dev.limiter.failover.FailoverRateLimiterStorage;
import dev.limiter.failover.RemoteStorage;
import dev.limiter.memory.InMemoryRateLimiterStorage;
import dev.limiter.redis.ConnectingRedis;
import dev.limiter.redis.LettuceRedis;
import dev.limiter.redis.RedisRateLimiterStorage;
import dev.limiter.redis.RedisStrategy;
import dev.limiter.spring.annotation.RateLimiter;
import dev.limiter.spring.context.RequestView;
import dev.limiter.spring.decide.RateLimitListener;
import dev.limiter.spring.decide.StorageEvent;
import dev.limiter.spring.key.KeyResolver;
import dev.limiter.spring.key.KeySource;
import dev.limiter.spring.rule.RuleDefinition;
import dev.limiter.spring.rule.RuleOrigin;
import dev.limiter.spring.rule.RuleSource;
import dev.limiter.spring.web.RejectionHandler;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.codec.ByteArrayCodec;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import java.util.stream.LongStream;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Component;
import org.springframework.stereotype.Service;
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

record User(long id, boolean internal) {}

record Item(String name) {}

@Service
class CartService {

    @RateLimiter(
            limit = 10,
            window = "1s",
            burst = 20, // the most at once; limit if not said
            algorithm = Algorithm.TOKEN_BUCKET, // the default
            key = "#user.id", // a bucket for each user; one for all if not said
            cost = "#items.size()", // permits that a call takes; 1 if not said
            condition = "!#user.internal", // which calls to limit; all if not said
            fallback = "later") // called instead of what is over the limit
    public String order(User user, List<Item> items) {
        return "ordered";
    }

    public String later(User user, List<Item> items, RateLimitExceededException rejection) {
        Optional<Duration> wait = rejection.decision().retryAfter(); // more items than the burst have none
        return wait.map(time -> "come back in " + time).orElse("order fewer items");
    }
}

@Service
class AccountService {

    @RateLimiter(limit = 5, window = "1h", key = "#user", chargeIf = "!#result") // only wrong passwords count
    public boolean login(String user, String password) {
        return password.equals("secret");
    }

    @RateLimiter(limit = 10, window = "1m", chargeIf = "#exception == null") // only what worked counts
    public CompletableFuture<String> export(String user) {
        return CompletableFuture.supplyAsync(() -> "exported " + user);
    }
}

@Service
@RateLimiter(limit = 100) // on a type: each public method has its own bucket; the window is 1m if not said
class CatalogService {

    public List<String> items() {
        return List.of("tea", "coffee");
    }

    @RateLimiter(limit = 2, window = "1s") // a method's own annotations replace those of its type
    @RateLimiter(name = "items-hourly", limit = 50, window = "1h") // several: all must permit
    public String item(String name) {
        return name;
    }

    @Expensive
    public String report() {
        return "report";
    }
}

@RateLimiter(limit = 5, window = "${report.window:1m}")
@Retention(RetentionPolicy.RUNTIME)
@interface Expensive {}

@Component("plans")
class Plans {

    public String of(RequestView request) { // null for no tier; may also be an enum, a number, an Optional
        return request.isUserInRole("PARTNER") ? "partner" : null;
    }

    public Integer limitOf(RequestView request) { // null for the limit of the rule
        return request.isUserInRole("PARTNER") ? 5000 : null;
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

    // replaces the answer to rejected requests whole; the RateLimit fields are already there
    @Bean
    RejectionHandler rejectionHandler() {
        return (request, response, decision) -> response.sendError(503);
    }

    // is told of each decision; the key may hold what clients keep secret, its hash does not show it
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

@Component
class StorageAlert {

    @EventListener
    void on(StorageEvent event) {
        System.out.println(event.state() + " " + event.storage() + " " + event.node() + " " + event.cause());
    }
}

/** Limits of partners: asked for at the start, and when the configuration has changed. */
@Component
class PartnerRules implements RuleSource {

    private final Map<String, Long> perMinute = Map.of("acme", 500L, "globex", 50L); // stands for a table

    @Override
    public Collection<RuleDefinition> rules() {
        return perMinute.keySet().stream().map(this::rule).toList();
    }

    private RuleDefinition rule(String partner) {
        return RuleDefinition.builder("partner-" + partner, RuleOrigin.source("the table of partners"))
                .paths(List.of("/partners/" + partner + "/**"))
                .limit(perMinute.get(partner), "1m", null, null, null) // algorithm, burst, buckets: the defaults
                .build();
    }
}

/** Daily windows begin at 06:00 UTC, with the business day; other fixed windows are those of the library. */
@Component
class BusinessDayStrategy implements RateLimiterStrategy {

    private final RateLimiterStrategy others = new FixedWindowStrategy();

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
                && !window.fromFirst()
                && window.window().equals(Duration.ofDays(1))
                && window.limit() <= 1_000_000_000_000L; // so that the state fits a long
    }
}

/** The state of a key: number of the day x (limit + 1) + used permits. */
class BusinessDay extends NumberLimit {

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
        return permits <= remaining(value, now) ? unused(now) + used(value, now) + permits : REFUSED;
    }

    @Override
    public long settle(long value, long now) { // the clock stepped back to another day: the use counts now
        return value > unused(now) + limit ? unused(now) + value % (limit + 1) : value;
    }

    @Override
    public long waitNanos(long value, long now, long permits) {
        if (permits > limit) {
            return Decision.NEVER;
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
    public long giveBack(long value, long taken, long now, long permits) {
        boolean sameDay = taken != NOTHING && taken / (limit + 1) == value / (limit + 1);
        return sameDay ? value - Math.min(permits, value % (limit + 1)) : value;
    }

    private long unused(long now) {
        return Math.floorDiv(now - BEGIN, DAY) * (limit + 1);
    }

    private long used(long value, long now) {
        return Math.min(Math.max(value - unused(now), 0), limit);
    }
}

/** The use of one limit by one key, read from a row of a table, and written to it again. */
class UsedLimit {

    /** The time from which the numbers count, and the numbers. */
    record Row(long origin, long[] numbers) {}

    private static final RateLimiterFactory ALGORITHMS = new RateLimiterFactory();

    final LimitState state;
    private final long origin;

    /** {@code row}: null for a new key. */
    UsedLimit(Row row, Limit limit, long now) {
        CompiledLimit arithmetic = ALGORITHMS.compile(limit, row == null ? now : row.origin);
        LimitState read = row == null ? arithmetic.newState() : arithmetic.read(row.numbers);
        if (arithmetic.covers(now)) {
            state = read;
            origin = row == null ? now : row.origin;
        } else { // the origin is too far away: the same use, counted from now
            state = ALGORITHMS.compile(limit, now).newState();
            state.carry(read, arithmetic, now);
            origin = now;
        }
    }

    Row row() {
        return new Row(origin, state.write());
    }
}

/** Limits that instances share in a table: a map stands in for it, and its lock for a transaction. */
class TableStorage implements RemoteStorage {

    private final Map<String, UsedLimit.Row> table;
    private final Executor connections; // drivers block: the threads of those who ask must not
    private final TimeSource clock;

    TableStorage(Map<String, UsedLimit.Row> table, Executor connections, TimeSource clock) {
        this.table = table;
        this.connections = connections;
        this.clock = clock;
    }

    @Override
    public String name() {
        return "table";
    }

    @Override
    public Duration timeout() {
        return Duration.ofSeconds(2);
    }

    @Override
    public TimeSource clock() {
        return clock;
    }

    @Override
    public CompletableFuture<Decision> ask(List<Charge> charges) {
        return inBackground(() -> decide(charges, true));
    }

    @Override
    public CompletableFuture<Decision> peekAsync(List<Charge> charges) {
        return inBackground(() -> decide(charges, false));
    }

    /** A decision that comes too late is given back. A failure, also one to begin, is that of the future. */
    private CompletableFuture<Decision> inBackground(Supplier<Decision> transaction) {
        ReturningFuture<Decision> answer = new ReturningFuture<>(Decision::giveBack);
        try {
            return answer.handedBy(CompletableFuture.supplyAsync(transaction, connections));
        } catch (RuntimeException busy) {
            return CompletableFuture.failedFuture(busy);
        }
    }

    /** All or nothing. */
    private Decision decide(List<Charge> charges, boolean taking) {
        synchronized (table) {
            long now = clock.epochNanos();
            List<TableDecision> parts = new ArrayList<>();
            for (Charge charge : charges) {
                parts.add(new TableDecision(this, charge, used(charge, now), now));
            }
            boolean taken = taking && parts.stream().allMatch(TableDecision::permitted);
            for (TableDecision part : parts) {
                if (taken) {
                    part.take();
                }
                write(part.charge, part.used);
            }
            return Decision.allOf(parts);
        }
    }

    void giveBack(TableDecision decision) {
        connections.execute(() -> {
            synchronized (table) {
                long now = clock.epochNanos();
                List<UsedLimit> used = used(decision.charge, now);
                decision.returnTo(used, now);
                write(decision.charge, used);
            }
        });
    }

    private List<UsedLimit> used(Charge charge, long now) {
        List<UsedLimit> used = new ArrayList<>();
        for (Limit limit : charge.rule().limits()) {
            if (limit.isHeld()) {
                throw new IllegalArgumentException("A table would not notice that an instance is gone: " + limit);
            }
            used.add(new UsedLimit(table.get(id(charge.rule(), charge.key(), limit)), limit, now));
        }
        return used;
    }

    private void write(Charge charge, List<UsedLimit> used) {
        List<Limit> limits = charge.rule().limits();
        for (int i = 0; i < limits.size(); i++) {
            table.put(
                    id(charge.rule(), charge.key(), limits.get(i)), used.get(i).row());
        }
    }

    private static String id(Rule rule, String key, Limit limit) {
        return String.join("/", rule.name(), limit.name(), key);
    }

    @Override
    public CompletionStage<?> probe(String node) {
        return CompletableFuture.supplyAsync(() -> table.get("probe"), connections);
    }

    @Override
    public Instances instances() {
        throw new UnsupportedOperationException("The builder says how many instances there are.");
    }

    @Override
    public void reset(Rule rule, String key) {
        synchronized (table) {
            rule.limits().forEach(limit -> table.remove(id(rule, key, limit)));
        }
    }

    @Override
    public long size() {
        return table.size();
    }
}

/** One charge, and where it left each limit of its rule. */
class TableDecision extends Decision {

    final Charge charge;
    final List<UsedLimit> used;

    private final TableStorage storage;
    private final long now;
    private final long[] waits;
    private final long[] left;
    private final long[] lasting;
    private final long[] marks;
    private final AtomicBoolean holdsPermits = new AtomicBoolean();

    TableDecision(TableStorage storage, Charge charge, List<UsedLimit> used, long now) {
        this.storage = storage;
        this.charge = charge;
        this.used = used;
        this.now = now;
        int limits = used.size();
        waits = new long[limits];
        left = new long[limits];
        lasting = new long[limits];
        marks = new long[limits];
        for (int i = 0; i < limits; i++) {
            long permits = charge.permits(i);
            waits[i] = permits == 0 ? 0 : used.get(i).state.waitNanos(now, permits);
        }
        look();
    }

    void take() {
        for (int i = 0; i < waits.length; i++) {
            long permits = charge.permits(i);
            marks[i] = permits == 0 ? NumberLimit.NOTHING : used.get(i).state.take(now, permits);
        }
        holdsPermits.set(true);
        look();
    }

    private void look() {
        for (int i = 0; i < waits.length; i++) {
            left[i] = used.get(i).state.remaining(now);
            lasting[i] = Math.max(used.get(i).state.freshAt(now), now) - now;
        }
    }

    void returnTo(List<UsedLimit> current, long time) {
        for (int i = 0; i < marks.length; i++) {
            if (marks[i] != NumberLimit.NOTHING) {
                current.get(i).state.giveBack(marks[i], time, charge.permits(i));
            }
        }
    }

    @Override
    public boolean permitted() {
        return LongStream.of(waits).allMatch(wait -> wait == 0);
    }

    @Override
    public Rule rule() {
        return charge.rule();
    }

    @Override
    public String key() {
        return charge.key();
    }

    @Override
    public void giveBack() {
        if (holdsPermits.getAndSet(false)) {
            storage.giveBack(this);
        }
    }

    @Override
    protected long remaining(int limit) {
        return left[limit];
    }

    @Override
    protected long waitNanos(int limit) {
        return waits[limit];
    }

    @Override
    protected long resetNanos(int limit) {
        return lasting[limit];
    }
}

/** The same where instances share limits in Redis: this bean instead of that one. */
@Component
class SharedBusinessDayStrategy extends BusinessDayStrategy implements RedisStrategy {

    @Override
    public long[] terms(Limit limit) {
        return isDaily(limit) ? new long[] {BusinessDay.DAY / 1000, BusinessDay.BEGIN / 1000} : null;
    }

    @Override
    public String script() {
        return """
                -- state: the number of a day, and how many permits are used of it
                local length, begin = terms[1], terms[2]
                local day, used = floor((now - begin) / length), 0
                if state then
                    local then_day, then_used = unpack('>dd', state)
                    used = then_day >= day and then_used or 0
                end
                used = used + others
                local rest = (day + 1) * length + begin - now
                left = math.max(capacity - used, 0)
                refusal = asked <= left and 0 or rest
                reset = used > 0 and rest or 0
                -- take
                used = used + count
                state = pack('>dd', day, used)
                mark = day
                left = math.max(capacity - used, 0)
                refusal = left > 0 and 0 or rest
                reset = used > 0 and rest or 0
                -- give back
                local day, used = unpack('>dd', state)
                if day == mark then
                    used = math.max(used - permits, 0)
                    state = pack('>dd', day, used)
                    left = capacity - used
                    reset = used > 0 and (day + 1) * terms[1] + terms[2] - now or 0
                end
                """;
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
            Charge cheap = alice.costing("hourly", 1); // five of burst, one of hourly
            Decision both = limiters.tryAcquire(cheap, site.charge()); // all or nothing
            // waits for its turn, or is refused at once; acquireAsync waits without a thread
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
