package dev.limiter.redis;

import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisKeyAsyncCommands;
import io.lettuce.core.api.async.RedisScriptingAsyncCommands;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.ByteArrayOutput;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.netty.buffer.ByteBuf;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/**
 * {@link Redis} over a connection of Lettuce, which it closes when closed. A node with 10,000 unanswered commands gets
 * no others, which fail at once: a server that stands still fills no memory. Thread-safe; never blocks.
 */
public class LettuceRedis implements Redis {

    /** How Lettuce says that it has not sent a command. */
    private static final List<String> REJECTED = List.of(
            "Currently not connected.",
            "Request queue size exceeded",
            "Command buffer size exceeded",
            "Internal stack size exceeded");

    /**
     * Commands of a node without an answer. Lettuce has such a bound too, but logs a stack trace for each command above
     * it.
     */
    static final int MOST_UNANSWERED = 10_000;

    /**
     * The next turn of an event loop that has little to do; one that has much is late in any case. No thread of the common
     * pool, which tasks of the application may occupy.
     */
    private static final Executor NEXT_TURN =
            CompletableFuture.delayedExecutor(1, TimeUnit.MILLISECONDS, Runnable::run);

    private final StatefulConnection<byte[], byte[]> connection;
    private final RedisScriptingAsyncCommands<byte[], byte[]> scripting;
    private final RedisKeyAsyncCommands<byte[], byte[]> keys;

    /** Whether keys have to be in one slot to be used together. */
    private volatile boolean bySlot;

    /** Digests of scripts that some node was sent already. */
    private final Set<String> sent = ConcurrentHashMap.newKeySet();

    /** By node. */
    private final ConcurrentHashMap<String, AtomicInteger> unanswered = new ConcurrentHashMap<>();

    /** To one server, which may have replicas, or to a cluster that is behind one address. */
    public LettuceRedis(StatefulRedisConnection<byte[], byte[]> connection) {
        this.connection = connection;
        this.scripting = connection.async();
        this.keys = connection.async();
        this.bySlot = false;
    }

    /** To a cluster. */
    public LettuceRedis(StatefulRedisClusterConnection<byte[], byte[]> connection) {
        this.connection = connection;
        this.scripting = connection.async();
        this.keys = connection.async();
        this.bySlot = true;
    }

    @Override
    public CompletionStage<byte[]> run(Script script, byte[][] names, byte[]... arguments) {
        // each node has to be sent it once, and forgets it on its own
        boolean first = sent.add(script.digest());
        CompletionStage<byte[]> answer = bounded(
                names,
                () -> first
                        ? scripting.eval(script.text(), ScriptOutputType.VALUE, names, arguments)
                        : scripting.evalsha(script.digest(), ScriptOutputType.VALUE, names, arguments));
        return answer.exceptionallyCompose(failure -> {
            if (failure instanceof RedisNoScriptException) {
                return scripting.eval(script.text(), ScriptOutputType.VALUE, names, arguments);
            }
            // a cluster behind one address: it is used as one from now on
            String message = String.valueOf(failure.getMessage());
            bySlot |= message.startsWith("CROSSSLOT");
            return CompletableFuture.failedFuture(
                    REJECTED.stream().anyMatch(message::startsWith)
                            ? RedisUnavailableException.notDone(message, failure)
                            : AclRights.explained(failure, script));
        });
    }

    @Override
    public CompletionStage<Void> delete(byte[][] names) {
        return bounded(names, () -> keys.unlink(names)).thenAccept(deleted -> {});
    }

    /**
     * The thread that reads answers is the one that encodes commands: an event loop of Netty, which reads in turn with
     * encoding all that has gathered. So it may not have read before the first of two commands, but has before the
     * second.
     */
    @Override
    public CompletionStage<?> answersRead(byte[] key) {
        return encoded(key).thenComposeAsync(first -> encoded(key), NEXT_TURN);
    }

    private CompletableFuture<Void> encoded(byte[] key) {
        CompletableFuture<Void> encoded = new CompletableFuture<>();
        CommandArgs<byte[], byte[]> arguments = new CommandArgs<>(ByteArrayCodec.INSTANCE)
                .add(Scripts.PROBE.digest())
                .add(1)
                .addKey(key);
        Command<byte[], byte[], byte[]> probe =
                new Command<>(CommandType.EVALSHA, new ByteArrayOutput<>(ByteArrayCodec.INSTANCE), arguments) {
                    @Override
                    public void encode(ByteBuf buffer) {
                        encoded.complete(null);
                        super.encode(buffer);
                    }
                };
        var unused =
                bounded(new byte[][] {key}, () -> sent(probe)).whenComplete((reply, failure) -> encoded.complete(null));
        return encoded;
    }

    private CompletionStage<byte[]> sent(Command<byte[], byte[], byte[]> command) {
        AsyncCommand<byte[], byte[], byte[]> answer = new AsyncCommand<>(command);
        connection.dispatch(answer);
        return answer;
    }

    /** Sends a command to the node of these keys, unless too many have no answer there. */
    private <T> CompletionStage<T> bounded(byte[][] names, Supplier<CompletionStage<T>> command) {
        AtomicInteger count =
                unanswered.computeIfAbsent(isClustered() ? node(slot(names[0])) : "", node -> new AtomicInteger());
        if (count.incrementAndGet() > MOST_UNANSWERED) {
            count.decrementAndGet();
            return CompletableFuture.failedFuture(RedisUnavailableException.notDone(
                    "Redis has not answered " + MOST_UNANSWERED + " commands, so that it is sent no others", null));
        }
        CompletionStage<T> answer;
        try {
            answer = command.get();
        } catch (RuntimeException | Error failure) {
            count.decrementAndGet();
            throw failure;
        }
        var unused = answer.whenComplete((reply, failure) -> count.decrementAndGet());
        return answer;
    }

    @Override
    public int slot(byte[] key) {
        return bySlot ? SlotHash.getSlot(key) : 0;
    }

    @Override
    public boolean isClustered() {
        return connection instanceof StatefulRedisClusterConnection;
    }

    @Override
    public String node(int slot) {
        if (connection instanceof StatefulRedisClusterConnection<byte[], byte[]> cluster) {
            RedisClusterNode node = cluster.getPartitions().getPartitionBySlot(slot);
            return node == null ? "" : node.getNodeId();
        }
        return "";
    }

    @Override
    public void close() {
        connection.close();
    }
}
