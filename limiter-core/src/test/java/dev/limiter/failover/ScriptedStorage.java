package dev.limiter.failover;

import dev.limiter.Charge;
import dev.limiter.Decision;
import dev.limiter.RateLimiterFactory;
import dev.limiter.RateLimiterStorage;
import dev.limiter.Rule;
import dev.limiter.TimeSource;
import dev.limiter.failover.StorageUnavailableException.Reason;
import dev.limiter.memory.InMemoryRateLimiterStorage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A remote storage in plain Java that fails on command: nodes fail independently, states are broken, replies are
 * withheld. Other instances take their permits from {@link #shared}. A key contains the name of its node before a
 * colon.
 */
final class ScriptedStorage implements RemoteStorage {

    /** The states, as other instances see them. */
    final RateLimiterStorage shared;

    final AtomicInteger calls = new AtomicInteger();
    final AtomicInteger connections = new AtomicInteger();
    final AtomicInteger goodbyes = new AtomicInteger();
    final AtomicInteger cleanUps = new AtomicInteger();

    /** The number of calls before each time that this instance was counted. */
    final List<Integer> heartbeats = new CopyOnWriteArrayList<>();

    private final Set<String> failing = ConcurrentHashMap.newKeySet();
    private final Set<String> broken = ConcurrentHashMap.newKeySet();
    private final Set<String> uncountable = ConcurrentHashMap.newKeySet();
    private final List<Runnable> held = new ArrayList<>();

    /** Replies that arrived after they were cancelled. */
    final AtomicInteger cancelled = new AtomicInteger();

    private volatile boolean withholding;
    private volatile boolean disconnected;
    private volatile boolean readOnly;
    private volatile boolean jvmPaused;
    private volatile boolean withoutRight;
    private volatile Consumer<List<Charge>> asking = charges -> {};
    private volatile boolean clustered;
    private volatile boolean atOnce;
    private volatile boolean ignoresCancellation;
    private volatile @Nullable Decision known;
    private volatile @Nullable Decision rejected;
    private volatile Duration timeout = Duration.ofSeconds(20);
    private volatile int instances = 1;

    ScriptedStorage(TimeSource clock) {
        this.shared = new InMemoryRateLimiterStorage(new RateLimiterFactory(), clock, 1000);
    }

    void fail(String node) {
        failing.add(node);
    }

    /** Makes all further attempts to connect fail. */
    void disconnect() {
        disconnected = true;
    }

    /** Rejects writes from now on. */
    void makeReadOnly() {
        readOnly = true;
    }

    /** Removes the permission for probes, which decisions do not need. */
    void denyProbes() {
        withoutRight = true;
    }

    /** Makes the JVM too slow to read replies in time. */
    void pauseJvm() {
        jvmPaused = true;
    }

    /** Sets a consumer to run with each call before its reply, in the calling thread. */
    void onCall(Consumer<List<Charge>> asking) {
        this.asking = asking;
    }

    void recover(String node) {
        failing.remove(node);
    }

    void breakState(String key) {
        broken.add(key);
    }

    /** Rejects a rule as unsupported. */
    void reject(Rule rule) {
        uncountable.add(rule.name());
    }

    void cluster() {
        clustered = true;
    }

    void replyAtOnce() {
        atOnce = true;
    }

    /** Returns a decision without a call. */
    void decideWithoutCall(Decision decision) {
        known = decision;
    }

    /** Rejects all requests with the last reply. */
    void reject(Decision decision) {
        rejected = decision;
    }

    void instances(int instances) {
        this.instances = instances;
    }

    /** Withholds replies; no caller waits for longer than {@code timeout}. */
    void withhold(Duration timeout) {
        this.timeout = timeout;
        withholding = true;
    }

    /** Decides also on cancelled requests from now on. */
    void ignoreCancellation() {
        ignoresCancellation = true;
    }

    /** Delivers replies in the order of the calls; calls that arrive in the meantime come last. */
    void replyAll() {
        for (List<Runnable> late = late(); !late.isEmpty(); late = late()) {
            late.forEach(Runnable::run);
        }
    }

    private List<Runnable> late() {
        synchronized (held) {
            withholding = !held.isEmpty();
            List<Runnable> late = List.copyOf(held);
            held.clear();
            return late;
        }
    }

    @Override
    public String name() {
        return "commanded";
    }

    @Override
    public CompletableFuture<Decision> ask(List<Charge> charges) {
        calls.incrementAndGet();
        asking.accept(charges);
        CompletableFuture<Decision> reply = new CompletableFuture<>();
        Runnable deciding = () -> reply(charges, reply);
        if (withholds(deciding)) {
            return reply;
        }
        if (atOnce) {
            deciding.run();
        } else {
            var unused = CompletableFuture.runAsync(deciding);
        }
        return reply;
    }

    private boolean withholds(Runnable reply) {
        synchronized (held) {
            if (withholding) {
                held.add(reply);
            }
            return withholding;
        }
    }

    @Override
    public @Nullable Decision known(List<Charge> charges) {
        return known;
    }

    @Override
    public @Nullable Decision rejected(List<Charge> charges) {
        return rejected;
    }

    private void reply(List<Charge> charges, CompletableFuture<Decision> reply) {
        if (reply.isCancelled() && !ignoresCancellation) {
            cancelled.incrementAndGet();
            return;
        }
        RuntimeException failure = failure(charges);
        if (failure != null) {
            reply.completeExceptionally(failure);
            return;
        }
        Decision decision = shared.decide(charges);
        if (readOnly && decision.permitted()) {
            decision.giveBack();
            reply.completeExceptionally(new StorageUnavailableException("It is read-only", null, Reason.NOT_DONE));
            return;
        }
        if (!reply.complete(decision)) {
            decision.giveBack();
        }
    }

    private @Nullable RuntimeException failure(List<Charge> charges) {
        if (jvmPaused) {
            return new StorageUnavailableException("The thread was late", null, Reason.STOOD_STILL);
        }
        if (charges.stream()
                .anyMatch(charge -> uncountable.contains(charge.rule().name()))) {
            return new IllegalArgumentException("The rule cannot be counted");
        }
        if (charges.stream().anyMatch(charge -> failing.contains(node(charge)))) {
            return new StorageUnavailableException("The storage is gone", null);
        }
        return charges.stream().anyMatch(charge -> broken.contains(charge.key()))
                ? new StorageUnavailableException("The state is no state", null, Reason.BROKEN_STATE)
                : null;
    }

    @Override
    public Duration timeout() {
        return timeout;
    }

    @Override
    public String node(Charge charge) {
        return clustered ? charge.key().substring(0, charge.key().indexOf(':')) : "";
    }

    @Override
    public boolean hasNode(String node) {
        return clustered != node.isEmpty();
    }

    @Override
    public CompletionStage<?> probe(String node) {
        if (failing.contains(node)) {
            return CompletableFuture.failedFuture(new IllegalStateException("The storage is gone"));
        }
        return withoutRight
                ? CompletableFuture.failedFuture(
                        new StorageUnavailableException("The user may not write", null, Reason.LACKS_RIGHT))
                : CompletableFuture.completedFuture("fine");
    }

    @Override
    public CompletionStage<?> answersRead(String node) {
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public CompletionStage<?> connected() {
        return disconnected
                ? CompletableFuture.failedFuture(new StorageUnavailableException("There is no connection", null))
                : CompletableFuture.completedFuture(null);
    }

    @Override
    public void reconnect() {
        connections.incrementAndGet();
    }

    @Override
    public Instances instances() {
        return new Instances() {
            @Override
            public int known() {
                return instances;
            }

            @Override
            public void sayHello() {
                heartbeats.add(calls.get());
            }

            @Override
            public void sayGoodbye(Duration atMost) {
                goodbyes.incrementAndGet();
            }
        };
    }

    @Override
    public void cleanUp() {
        cleanUps.incrementAndGet();
    }

    @Override
    public CompletableFuture<Decision> peekAsync(List<Charge> charges) {
        RuntimeException failure = failure(charges);
        return failure != null
                ? CompletableFuture.failedFuture(failure)
                : CompletableFuture.completedFuture(shared.peek(charges));
    }

    @Override
    public void reset(Rule rule, String key) {
        RuntimeException failure = failure(List.of(rule.charge(key)));
        if (failure != null) {
            throw failure;
        }
        shared.reset(rule, key);
    }

    @Override
    public long size() {
        return shared.size();
    }
}
