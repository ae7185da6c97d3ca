package dev.limiter.benchmarks.web;

import com.giffing.bucket4j.spring.boot.starter.filter.servlet.ServletRateLimitFilter;
import dev.limiter.spring.web.RateLimitInterceptor;
import io.github.resilience4j.ratelimiter.RequestNotPermitted;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;
import org.springframework.web.servlet.HandlerInterceptor;

/**
 * Measures the code between Spring MVC and an endpoint without a server: from the request to the decision and its
 * fields. The application has the automatic limit and a rule keyed by address; the other libraries run in the same
 * application. {@link Variant} describes each.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(
        value = 2,
        jvmArgsAppend = {"-Xms1g", "-Xmx1g", "-Xmn256m", "-XX:+AlwaysPreTouch"})
@State(Scope.Thread)
public class InterceptorBenchmark {

    private static final Predicate<HandlerInterceptor> ALL = interceptor -> true;

    /** Whether all requests are permitted, or all rejected. Without a limit all are permitted. */
    @Param({"permitted", "rejected"})
    public String outcome = "permitted";

    private MockedEdge start(Variant variant, Predicate<HandlerInterceptor> chosen) throws Exception {
        return new MockedEdge(variant, outcome.equals("rejected"), chosen);
    }

    /** An application, started once for each benchmark. */
    public abstract static class Started {

        private final Variant variant;
        private final Predicate<HandlerInterceptor> chosen;
        private MockedEdge edge;

        Started(Variant variant, Predicate<HandlerInterceptor> chosen) {
            this.variant = variant;
            this.chosen = chosen;
        }

        @Setup
        public void start(InterceptorBenchmark benchmark) throws Exception {
            edge = benchmark.start(variant, chosen);
            started(edge);
        }

        /** Takes the code to call from the application, unless it is an interceptor. */
        void started(MockedEdge edge) {}

        @TearDown
        public void stop() {
            edge.close();
        }

        MockedEdge edge() {
            return edge;
        }
    }

    @State(Scope.Thread)
    public static class Unlimited extends Started {
        public Unlimited() {
            super(Variant.NONE, ALL);
        }
    }

    @Benchmark
    public int floor(Unlimited application) {
        return application.edge().floor();
    }

    /** Measures {@link #floor} with two constant fields. */
    @Benchmark
    public int floorFields(Unlimited application) {
        return application
                .edge()
                .floor("RateLimit-Policy", "\"hello\";q=10000000;w=1", "RateLimit", "\"hello\";r=9999999;t=1");
    }

    @State(Scope.Thread)
    public static class Limiter extends Started {
        public Limiter() {
            super(Variant.LIMITER, RateLimitInterceptor.class::isInstance);
        }
    }

    @Benchmark
    public int limiter(Limiter application) throws Exception {
        return application.edge().preHandle();
    }

    @State(Scope.Thread)
    public static class LimiterIetf extends Started {
        public LimiterIetf() {
            super(Variant.LIMITER_IETF, RateLimitInterceptor.class::isInstance);
        }
    }

    @Benchmark
    public int limiterIetf(LimiterIetf application) throws Exception {
        return application.edge().preHandle();
    }

    @State(Scope.Thread)
    public static class LimiterIetfObserved extends Started {
        public LimiterIetfObserved() {
            super(Variant.LIMITER_IETF_OBSERVED, RateLimitInterceptor.class::isInstance);
        }
    }

    @Benchmark
    public int limiterIetfObserved(LimiterIetfObserved application) throws Exception {
        return application.edge().preHandle();
    }

    @State(Scope.Thread)
    public static class LimiterTwoRules extends Started {
        public LimiterTwoRules() {
            super(Variant.LIMITER_TWO_RULES, RateLimitInterceptor.class::isInstance);
        }
    }

    @Benchmark
    public int limiterTwoRules(LimiterTwoRules application) throws Exception {
        return application.edge().preHandle();
    }

    @State(Scope.Thread)
    public static class LimiterWhole extends Started {
        public LimiterWhole() {
            super(Variant.LIMITER_IETF, ALL);
        }
    }

    /** With fields and the two other interceptors, which open and close the state of a request and let it wait. */
    @Benchmark
    public int limiterIetfWhole(LimiterWhole application) throws Exception {
        return application.edge().intercept();
    }

    @State(Scope.Thread)
    public static class Sentinel extends Started {
        public Sentinel() {
            super(Variant.SENTINEL, ALL);
        }
    }

    @Benchmark
    public int sentinel(Sentinel application) throws Exception {
        return application.edge().intercept();
    }

    @State(Scope.Thread)
    public static class Bucket4j extends Started {

        private ServletRateLimitFilter filter;

        public Bucket4j() {
            super(Variant.BUCKET4J, ALL);
        }

        @Override
        void started(MockedEdge edge) {
            filter = edge.bean(ServletRateLimitFilter.class);
        }
    }

    @Benchmark
    public int bucket4j(Bucket4j application) throws Exception {
        return application.edge().filter(application.filter);
    }

    @State(Scope.Thread)
    public static class Resilience4j extends Started {

        private HelloApplication.AnnotatedGreeting greeting;

        public Resilience4j() {
            super(Variant.RESILIENCE4J, ALL);
        }

        @Override
        void started(MockedEdge edge) {
            greeting = edge.bean(HelloApplication.AnnotatedGreeting.class);
        }
    }

    /** The call of an annotated method outside a request. */
    @Benchmark
    public int resilience4j(Resilience4j application) {
        try {
            return application.greeting.hello().length();
        } catch (RequestNotPermitted rejected) {
            return -1;
        }
    }
}
