package dev.limiter.redis;

import static org.jetbrains.lincheck.datastructures.ManagedStrategyGuaranteeKt.forClasses;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** In every interleaving, no request is left behind. */
@Tag("lincheck")
class SlotRequestBatcherLincheckTests {

    private static final long FOR_EVER = Long.MAX_VALUE / 4;

    static {
        // loaded once, outside of the interleavings
        Scripts.decide(LuaAlgorithm.BUCKET.bit());
    }

    /** Replies at once, with nothing, or never. */
    private static final class Stub extends FakeRedis {

        private volatile boolean answers = true;

        @Override
        public CompletionStage<byte[]> run(Script script, byte[][] names, byte[]... arguments) {
            return answers
                    ? CompletableFuture.completedFuture(new byte[arguments.length * Integer.BYTES])
                    : new CompletableFuture<>();
        }
    }

    /** With three calls that never complete, there is space for one more. */
    public static class OnePlaceLeft {

        private final Stub redis = new Stub();
        private final SlotRequestBatcher lane = new SlotRequestBatcher(redis, FOR_EVER, new StorageStatistics());
        private final Queue<Request<?>> asked = new ConcurrentLinkedQueue<>();

        public OnePlaceLeft() {
            lane.add(request());
            redis.answers = false;
            for (int i = 0; i < 3; i++) {
                lane.add(request());
            }
            redis.answers = true;
        }

        private static Request<Boolean> request() {
            return new Request<>(
                    LuaAlgorithm.BUCKET.bit(),
                    new byte[][] {{1}},
                    new byte[] {1},
                    1,
                    null,
                    (answer, position) -> answer.hasRemaining(),
                    nobody -> {});
        }

        @Operation
        public void ask() {
            Request<Boolean> request = request();
            asked.add(request);
            lane.add(request);
        }

        @Validate
        public void allRequestsComplete() {
            for (Request<?> request : asked) {
                if (!request.isDone()) {
                    throw new IllegalStateException("A request is forgotten");
                }
            }
        }
    }

    @Test
    void noRequestIsForgotten() {
        new ModelCheckingOptions()
                .iterations(1)
                .invocationsPerIteration(500)
                .threads(2)
                .actorsPerThread(2)
                .actorsBefore(0)
                .actorsAfter(0)
                // so that threads switch within the batcher, and not within these
                .addGuarantee(forClasses(
                                ConcurrentLinkedQueue.class.getName(),
                                ConcurrentHashMap.class.getName(),
                                ConcurrentHashMap.KeySetView.class.getName(),
                                Scripts.class.getName())
                        .allMethods()
                        .treatAsAtomic())
                // used by one thread only; following it would take most of the time
                .addGuarantee(forClasses(
                                ArrayList.class.getName(),
                                ArrayList.class.getName() + "$Itr",
                                LinkedHashMap.class.getName(),
                                "java.util.LinkedHashMap$LinkedValues",
                                Collections.class.getName(),
                                ByteBuffer.class.getName(),
                                "java.nio.HeapByteBuffer")
                        .allMethods()
                        .ignore())
                .check(OnePlaceLeft.class);
    }
}
