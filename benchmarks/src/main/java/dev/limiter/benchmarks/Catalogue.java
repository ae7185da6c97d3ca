package dev.limiter.benchmarks;

import static dev.limiter.benchmarks.Summary.LARGEST;
import static dev.limiter.benchmarks.Summary.MEDIAN;
import static dev.limiter.benchmarks.Summary.MIDDLE_HALF;
import static dev.limiter.benchmarks.Summary.PLUS_MINUS;
import static dev.limiter.benchmarks.Summary.RANGE;

import dev.limiter.benchmarks.Layout.Column;
import dev.limiter.benchmarks.redis.LargestCall;
import dev.limiter.benchmarks.redis.OpenLoop;
import dev.limiter.benchmarks.redis.RedisBenchmark;
import dev.limiter.benchmarks.redis.RedisMemory;
import dev.limiter.benchmarks.web.InterceptorBenchmark;
import dev.limiter.benchmarks.web.ObservingCpu;
import dev.limiter.benchmarks.web.ServerCpu;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** All tables of docs/internals/benchmarks.md in the order of the page, with their benchmarks and columns. */
final class Catalogue {

    /** A small young generation of touched memory: a large one would measure page faults. */
    private static final List<String> YOUNG = List.of("-Xmn256m", "-XX:+AlwaysPreTouch");

    private static final Map<String, String> DECISIONS = decisions();
    private static final String LOOK_UP = DECISIONS.get("hashLookup");
    private static final String LOOK_UP_AFTER_CLOCK = DECISIONS.get("hashLookupAfterClock");
    private static final String REDIS = "redis-server";

    static final List<Job> JOBS = List.of(
            oneKey(),
            manyKeys(),
            growth(),
            hotKey(),
            heap(),
            newKeys(),
            log(),
            expiry(),
            giveUp(),
            lateness(),
            edge(),
            observing(),
            serverCpu(),
            serverCpuOurs(),
            serverCpuWebFlux(),
            gateway(),
            redis(),
            redisBusy(),
            openLoop(),
            redisLargest(),
            redisMemory());

    private Catalogue() {}

    private static List<String> heap(String size) {
        return Stream.concat(Stream.of("-Xms" + size, "-Xmx" + size), YOUNG.stream())
                .toList();
    }

    private static Map<String, String> decisions() {
        Map<String, String> rows = new LinkedHashMap<>();
        rows.put("compareAndSet", "clock and compare-and-set");
        rows.put("hashLookup", "the same behind a hash look-up");
        rows.put("hashLookupAfterClock", "the same, the clock first");
        rows.put("limiterTokenBucket", "**Limiter `TOKEN_BUCKET`**");
        rows.put("limiterTokenBucketOnlyWhether", "the same with `tryTake`, which returns only true or false");
        rows.put("limiterTokenBucketOrWait", "**Limiter `TOKEN_BUCKET`, would wait**");
        rows.put("limiterLeakyBucket", "**Limiter `LEAKY_BUCKET`**");
        rows.put("limiterFixedWindow", "**Limiter `FIXED_WINDOW`**");
        rows.put("limiterSlidingWindowCounter", "**Limiter `SLIDING_WINDOW_COUNTER`**");
        rows.put("limiterSlidingWindowLog", "**Limiter `SLIDING_WINDOW_LOG`**");
        rows.put("limiterTwoLimits", "**Limiter, two `TOKEN_BUCKET`s on one rule**");
        rows.put("bucket4jInHashMap", "bucket4j in a HashMap");
        rows.put("bucket4jInCaffeine", "bucket4j in Caffeine");
        rows.put("resilience4j", "resilience4j in a HashMap");
        rows.put("resilience4jOnlyWhether", "the same without its second `getMetrics()`");
        rows.put("guava", "Guava in a HashMap (does not report what is left)");
        rows.put("sentinel", "Sentinel, hot parameter (does not report what is left)");
        return rows;
    }

    private static Source decide(
            Map<String, String> rows,
            String table,
            String column,
            String bytes,
            String heap,
            int keys,
            String outcome,
            String strings,
            int threads) {
        Map<String, String> parameters = Map.of("keys", Integer.toString(keys), "outcome", outcome, "strings", strings);
        return new JmhRound(DecisionBenchmark.class, rows, table, column, bytes, 1, heap(heap), parameters, threads);
    }

    private static Column ratio(String title, String baseline) {
        return new Column(title, title, PLUS_MINUS, "", baseline);
    }

    private static Job oneKey() {
        String table = "one-key";
        Source source = Source.inTurn(List.of(
                decide(DECISIONS, table, "permitted", "allocated, permitted", "1g", 1, "permitted", "same", 1),
                decide(DECISIONS, table, "rejected", "allocated, rejected", "1g", 1, "rejected", "same", 1),
                decide(DECISIONS, table, "permitted, fresh strings", "", "1g", 1, "permitted", "fresh", 1),
                decide(DECISIONS, table, "permitted, 2 threads", "", "1g", 1, "permitted", "same", 2)));
        List<Column> columns = List.of(
                ratio("permitted", LOOK_UP),
                ratio("rejected", LOOK_UP),
                ratio("permitted, fresh strings", LOOK_UP),
                ratio("permitted, 2 threads", LOOK_UP_AFTER_CLOCK),
                new Column("allocated, permitted", MEDIAN, " B"),
                new Column("allocated, rejected", MEDIAN, " B"));
        return new Job(
                table, "nanoseconds per decision of one key", 9, true, "", 3, source, layout(table, "", columns));
    }

    private static Job manyKeys() {
        String table = "many-keys";
        Source source = Source.inTurn(List.of(
                decide(DECISIONS, table, "1,000 keys", "", "2g", 1_000, "permitted", "same", 1),
                decide(DECISIONS, table, "1,000,000 keys", "", "2g", 1_000_000, "permitted", "same", 1)));
        List<Column> columns = List.of(ratio("1,000 keys", LOOK_UP), ratio("1,000,000 keys", LOOK_UP));
        return new Job(
                table, "nanoseconds per decision of many keys", 7, true, "", 3, source, layout(table, "", columns));
    }

    private static Job growth() {
        String table = "growth";
        Map<String, String> rows = new LinkedHashMap<>(DECISIONS);
        rows.keySet().retainAll(List.of("hashLookup", "limiterTokenBucket", "bucket4jInHashMap"));
        rows.put("hashLookup", "hash look-up and compare-and-set");
        List<Source> sources = new ArrayList<>();
        List<Column> columns = new ArrayList<>();
        for (int keys : new int[] {1, 1_000, 1_000_000, 10_000_000}) {
            String column = String.format("%,d %s", keys, keys == 1 ? "key" : "keys");
            String heap = keys > 1_000_000 ? "10g" : "2g";
            sources.add(decide(rows, table, column, "", heap, keys, "permitted", "same", 1));
            columns.add(ratio(column, rows.get("hashLookup")));
        }
        return new Job(
                table,
                "the same from 1 to 10,000,000 keys",
                4,
                true,
                "",
                2,
                Source.inTurn(sources),
                layout(table, "", columns));
    }

    private static Job hotKey() {
        Map<String, String> rows = new LinkedHashMap<>();
        rows.put("tryAgainAtOnce", "read the number, then the clock; try again at once");
        rows.put("tryAgainAfterASpinHint", "the same, with a spin hint after a lost race");
        rows.put("backOffExponentially", "the same, backing off exponentially");
        rows.put("readTheClockFirst", "read the clock first, then the number");
        rows.put("monitor", "a monitor");
        rows.put("lock", "a `ReentrantLock`");
        Source source = Source.inTurn(
                List.of(new JmhRound(HotKeyBenchmark.class, rows, "hot-key", "ns", "", 1, heap("1g"), Map.of(), 2)));
        return new Job(
                "hot-key",
                "ways to update one number, two threads",
                2,
                true,
                "",
                5,
                source,
                layout("hot-key", "", List.of(new Column("ns", PLUS_MINUS, ""))));
    }

    private static Job heap() {
        // counts objects; other collectors count regions
        List<String> serial = List.of("-Xms4g", "-Xmx4g", "-Xmn1g", "-XX:+UseSerialGC");
        return new Job(
                "heap",
                "bytes of heap for one key of a million",
                2,
                false,
                "",
                2,
                Program.forked(HeapPerKey.class, serial),
                layout(
                        "heap",
                        "one of 1,000,000 keys, the key string left out",
                        List.of(new Column("bytes", RANGE, ""))));
    }

    private static Job newKeys() {
        return new Job(
                "new-keys",
                "the first decision of a key in a full store",
                1,
                true,
                "",
                5,
                Program.forked(NewKeyCost.class, heap("2g")),
                layout("new-keys", "store full of", ranges(" ns", "median", "mean", "p99")));
    }

    private static Job log() {
        return new Job(
                "log",
                "decisions on a sliding window log of a million entries",
                1,
                true,
                "",
                3,
                Program.forked(LogCliffs.class, heap("4g")),
                layout("log", "", ranges(" us", "median")));
    }

    private static Job expiry() {
        List<String> options = List.of("-Xms12g", "-Xmx12g", "-XX:+UseZGC", "-XX:+AlwaysPreTouch");
        return new Job(
                "expiry",
                "decisions while ten million keys expire; 12 GB",
                3,
                true,
                "",
                3,
                Program.forked(ExpiryPause.class, options),
                layout(
                        "expiry",
                        "",
                        List.of(
                                new Column("median", RANGE, " ns"),
                                new Column("p99", RANGE, " ns"),
                                new Column("p99.99", RANGE, " us"),
                                new Column("max", RANGE, " ms"))));
    }

    private static Job giveUp() {
        return new Job(
                "give-up",
                "queued requests that give up",
                0.5,
                true,
                "",
                7,
                Program.withRounds(GiveUpBenchmark.class, heap("2g")),
                layout(
                        "give-up",
                        "",
                        ranges(" ms", "cancelled in", "CPU time", "unrelated key: median", "p99", "max")));
    }

    private static Job lateness() {
        return new Job(
                "lateness",
                "how late queued requests leave",
                3,
                true,
                "",
                3,
                Program.forked(WaitLateness.class, heap("1g")),
                layout(
                        "lateness",
                        "late, in us",
                        List.of(
                                new Column("median", RANGE, ""),
                                new Column("p99", RANGE, ""),
                                new Column("max", RANGE, ""),
                                new Column("rate differs by", RANGE, " %"))));
    }

    private static Job edge() {
        Map<String, String> permitted = new LinkedHashMap<>();
        permitted.put("floor", "the mocks alone");
        permitted.put("floorFields", "the mocks with two known fields");
        permitted.put("limiter", "**Limiter**, no fields");
        permitted.put("limiterIetf", "**Limiter**, fields of the IETF draft");
        permitted.put(
                "limiterIetfWhole", "**Limiter**, with fields and all its interceptors, before and after the handler");
        permitted.put("limiterTwoRules", "**Limiter**, two rules, no fields");
        permitted.put("sentinel", "Sentinel's interceptor");
        permitted.put("bucket4j", "bucket4j's filter, over Caffeine");
        Map<String, String> rejected = new LinkedHashMap<>(permitted);
        rejected.keySet().retainAll(List.of("limiter", "limiterIetf", "bucket4j"));
        Source source = Source.inTurn(List.of(
                new JmhRound(
                        InterceptorBenchmark.class,
                        permitted,
                        "edge-permitted",
                        "ns",
                        "allocated",
                        1,
                        heap("1g"),
                        Map.of("outcome", "permitted"),
                        1),
                new JmhRound(
                        InterceptorBenchmark.class,
                        rejected,
                        "edge-rejected",
                        "us",
                        "allocated",
                        1_000,
                        heap("1g"),
                        Map.of("outcome", "rejected"),
                        1)));
        Column allocated = new Column("allocated", RANGE, " B");
        List<Layout> layouts = List.of(
                new Layout("edge-permitted", "permitted", List.of(new Column("ns", RANGE, ""), allocated)),
                new Layout("edge-rejected", "rejected", List.of(new Column("us", RANGE, ""), allocated)));
        return new Job(
                "edge", "interceptors of Limiter and other libraries, on mocks", 4, true, "", 3, source, layouts);
    }

    private static Job observing() {
        Source source = Program.forkedInTurn(
                ObservingCpu.class,
                List.of(),
                List.of(
                        List.of("permitted", "limiter-ietf", "limiter-ietf-observed", "60"),
                        List.of("rejected", "limiter-ietf", "limiter-ietf-observed", "50")));
        return new Job(
                "observing",
                "CPU time of a request with metrics",
                2,
                false,
                "",
                6,
                source,
                layout(
                        "observing",
                        "",
                        List.of(
                                new Column("without", RANGE, " ns"),
                                new Column("allocated", RANGE, " B"),
                                new Column("observed", RANGE, " ns"),
                                new Column("allocated, observed", RANGE, " B"),
                                new Column("ratio", RANGE, ""))));
    }

    private static List<Column> perRequest() {
        return List.of(
                new Column("us of CPU per request", "us per request", MEDIAN, "", null),
                new Column("ratio in the same round (middle half of the rounds)", "ratio", MIDDLE_HALF, "", null));
    }

    private static Job serverCpu() {
        return new Job(
                "server-cpu",
                "CPU time of a server over HTTP, with other libraries",
                6,
                true,
                "wrk",
                8,
                Program.withRounds(
                        ServerCpu.class,
                        List.of(),
                        "server-cpu",
                        "2",
                        "1",
                        "none",
                        "none-again",
                        "limiter",
                        "limiter-ietf",
                        "limiter-two-rules",
                        "resilience4j",
                        "sentinel",
                        "bucket4j"),
                layout("server-cpu", "", perRequest()));
    }

    private static Job serverCpuOurs() {
        return new Job(
                "server-cpu-ours",
                "the same, in many rounds of few lines",
                4,
                true,
                "wrk",
                40,
                Program.withRounds(
                        ServerCpu.class,
                        List.of(),
                        "server-cpu-ours",
                        "1",
                        "1",
                        "none",
                        "none-again",
                        "limiter",
                        "limiter-ietf"),
                layout("server-cpu-ours", "", perRequest()));
    }

    private static Job serverCpuWebFlux() {
        return new Job(
                "server-cpu-webflux",
                "the same on WebFlux",
                4,
                true,
                "wrk",
                20,
                Program.withRounds(
                        ServerCpu.class,
                        List.of(),
                        "server-cpu-webflux",
                        "2",
                        "1",
                        "webflux",
                        "webflux-again",
                        "webflux-limiter-ietf"),
                layout("server-cpu-webflux", "", perRequest()));
    }

    private static Job gateway() {
        List<Column> columns = new ArrayList<>(perRequest());
        columns.add(new Column("us of Redis", "us of Redis per request", MEDIAN, "", null));
        columns.add(new Column("requests per second", "per second", MEDIAN, "", null));
        columns.add(new Column("ratio", "ratio per second", MIDDLE_HALF, "", null));
        return new Job(
                "gateway",
                "a route of Spring Cloud Gateway with a limit in Redis",
                4,
                true,
                "wrk",
                20,
                Program.withRounds(
                        ServerCpu.class,
                        List.of(),
                        "gateway",
                        "2",
                        "1",
                        "gateway-request-rate-limiter",
                        "gateway-limiter",
                        "gateway"),
                layout("gateway", "", columns));
    }

    private static Layout emptyCall(String table) {
        return new Layout(
                table + "-empty",
                "1,000 keys",
                List.of(
                        new Column("per second", RANGE, ""),
                        new Column("server time", RANGE, " us"),
                        new Column("JVM time", RANGE, " us")));
    }

    private static List<Column> emptyCalls() {
        return List.of(
                new Column("1,000 keys, decisions of an empty call", "1,000 keys", RANGE, "", null),
                new Column("one hot key", RANGE, ""),
                new Column("server time of an empty call, 1,000 keys", "server time, 1,000 keys", RANGE, "", null));
    }

    private static Job redis() {
        List<Layout> layouts = List.of(
                emptyCall("redis"),
                new Layout("redis", "no rejections", emptyCalls()),
                new Layout(
                        "redis-limit",
                        "at the limit",
                        List.of(
                                new Column("decisions of an empty call", RANGE, ""),
                                new Column("permitted", MEDIAN, " %"))));
        return new Job(
                "redis",
                "decisions per second in Redis",
                4.5,
                true,
                REDIS,
                7,
                Program.withRounds(RedisBenchmark.class, heap("1g"), "500"),
                layouts);
    }

    private static Job redisBusy() {
        return new Job(
                "redis-busy",
                "the same while another process keeps one core busy",
                3.5,
                true,
                REDIS,
                7,
                Program.withRounds(RedisBenchmark.class, heap("1g"), "500", "busy"),
                List.of(
                        emptyCall("redis-busy"),
                        new Layout("redis-busy", "no rejections, one core busy", emptyCalls())));
    }

    private static Job openLoop() {
        List<Source> networks = new ArrayList<>();
        for (String added : List.of("0", "10", "200")) {
            networks.add(Program.withRounds(OpenLoop.class, heap("2g"), "45000", "12", added));
        }
        return new Job(
                "open-loop",
                "45,000 requests a second without waiting for replies",
                2.5,
                true,
                REDIS,
                3,
                Source.all(networks),
                layout(
                        "open-loop",
                        "over",
                        List.of(
                                new Column("fewest replies in a second", "least in a second", RANGE, "", null),
                                new Column("p50", RANGE, " ms"),
                                new Column("p90", RANGE, " ms"),
                                new Column("p99", RANGE, " ms"),
                                new Column("max", RANGE, " ms"))));
    }

    private static Job redisLargest() {
        return new Job(
                "redis-largest",
                "the largest calls of scripts",
                3,
                false,
                REDIS,
                11,
                Program.withRounds(LargestCall.class, heap("1g")),
                layout(
                        "redis-largest",
                        "what is stored, and what the call does",
                        List.of(
                                new Column("median", "longest call", MEDIAN, " ms", null),
                                new Column("longest", "longest call", LARGEST, " ms", null))));
    }

    private static Job redisMemory() {
        return new Job(
                "redis-memory",
                "bytes of Redis for one key",
                0.5,
                false,
                REDIS,
                1,
                Program.forked(RedisMemory.class, heap("1g")),
                layout(
                        "redis-memory",
                        "bytes in Redis for a key (`MEMORY USAGE`)",
                        ranges("", "1 permit used", "100 used")));
    }

    private static List<Layout> layout(String table, String corner, List<Column> columns) {
        return List.of(new Layout(table, corner, columns));
    }

    private static List<Column> ranges(String unit, String... titles) {
        return Stream.of(titles).map(title -> new Column(title, RANGE, unit)).toList();
    }
}
