package dev.limiter.redis;

import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.StatefulRedisConnection;
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
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * {@link Redis} over a Lettuce connection, which is closed with this object. Commands to a node with 10,000 outstanding
 * ones fail at once, so that a server that hangs does not fill the memory. No command is executed twice, whatever the
 * options of the connection. Thread-safe; never blocks.
 */
public class LettuceRedis implements Redis {

    /**
     * The most commands of a node without a reply. Lettuce has such a limit too, but logs a stack trace for each
     * command above it.
     */
    static final int MOST_UNANSWERED = 10_000;

    /**
     * Runs in the next cycle of an idle event loop; a busy one is late anyway. Does not use the common pool, which the
     * application may block.
     */
    private static final Executor NEXT_TURN =
            CompletableFuture.delayedExecutor(1, TimeUnit.MILLISECONDS, Runnable::run);

    private final StatefulConnection<byte[], byte[]> connection;

    /** Whether keys must be in one slot to be used together. */
    private volatile boolean bySlot;

    /** The digests of scripts that were sent to some node. */
    private final Set<String> sent = ConcurrentHashMap.newKeySet();

    /** The number of commands without a reply, by node. */
    private final ConcurrentHashMap<String, AtomicInteger> unanswered = new ConcurrentHashMap<>();

    /** Connects to one server, which may have replicas, or to a cluster behind one address. */
    public LettuceRedis(StatefulRedisConnection<byte[], byte[]> connection) {
        this.connection = connection;
        this.bySlot = false;
    }

    /** Connects to a cluster. */
    public LettuceRedis(StatefulRedisClusterConnection<byte[], byte[]> connection) {
        this.connection = connection;
        this.bySlot = true;
    }

    @Override
    public CompletionStage<byte[]> run(Script script, byte[][] names, byte[]... arguments) {
        // each node needs the text once, and may forget it
        boolean first = sent.add(script.digest());
        return send(first ? eval(script, names, arguments) : evalsha(script, names, arguments), names)
                .exceptionallyCompose(failure -> {
                    if (failure instanceof RedisNoScriptException) {
                        return send(eval(script, names, arguments), names);
                    }
                    // a cluster behind one address: from now on used as a cluster
                    bySlot |= String.valueOf(failure.getMessage()).startsWith("CROSSSLOT");
                    return CompletableFuture.failedFuture(failure);
                });
    }

    private static UnrepeatedCommand eval(Script script, byte[][] names, byte[]... arguments) {
        return new UnrepeatedCommand(CommandType.EVAL, arguments(script.text(), names, arguments));
    }

    private static UnrepeatedCommand evalsha(Script script, byte[][] names, byte[]... arguments) {
        return new UnrepeatedCommand(CommandType.EVALSHA, arguments(script.digest(), names, arguments));
    }

    private static CommandArgs<byte[], byte[]> arguments(String script, byte[][] names, byte[]... arguments) {
        return new CommandArgs<>(ByteArrayCodec.INSTANCE)
                .add(script)
                .add(names.length)
                .addKeys(names)
                .addValues(arguments);
    }

    /**
     * Completes when replies that have arrived are read. The event loop that reads replies also encodes commands, and
     * alternates between both. So it may not have read before encoding the first of two commands, but has before the
     * second.
     */
    @Override
    public CompletionStage<?> answersRead(byte[] key) {
        return encoded(key).thenComposeAsync(first -> encoded(key), NEXT_TURN);
    }

    private CompletableFuture<Void> encoded(byte[] key) {
        CompletableFuture<Void> encoded = new CompletableFuture<>();
        byte[][] names = {key};
        UnrepeatedCommand probe = new UnrepeatedCommand(CommandType.EVALSHA, arguments(Scripts.PROBE.digest(), names)) {
            @Override
            public void encode(ByteBuf buffer) {
                encoded.complete(null);
                super.encode(buffer);
            }
        };
        var unused = send(probe, names).whenComplete((reply, failure) -> encoded.complete(null));
        return encoded;
    }

    /** Sends a command to the node of these keys, unless it has too many outstanding commands. */
    private CompletionStage<byte[]> send(UnrepeatedCommand command, byte[][] names) {
        AtomicInteger count =
                unanswered.computeIfAbsent(isClustered() ? node(slot(names[0])) : "", node -> new AtomicInteger());
        if (count.incrementAndGet() > MOST_UNANSWERED) {
            count.decrementAndGet();
            return CompletableFuture.failedFuture(RedisErrors.notDone(
                    MOST_UNANSWERED + " commands to Redis have no reply yet; no more are sent", null));
        }
        CompletableFuture<byte[]> result = new CompletableFuture<>();
        var unused = command.whenComplete((reply, failure) -> {
            count.decrementAndGet();
            if (failure == null) {
                result.complete(reply);
            } else {
                result.completeExceptionally(
                        command.isNotDone(failure)
                                ? RedisErrors.notDone("The command was not sent to Redis: " + failure, failure)
                                : failure);
            }
        });
        try {
            connection.dispatch(command);
        } catch (RuntimeException | Error failure) {
            command.completeExceptionally(failure);
        }
        return result;
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

    /**
     * A command that no server executes twice. Lettuce writes a command without a reply again after a reconnect, or to
     * another node of a cluster. The second time, this class writes a PING; its reply keeps replies in order and
     * fails the command. The same applies to a command that was cancelled before. A redirect is a reply, so the next
     * node receives the command itself.
     */
    private static class UnrepeatedCommand extends AsyncCommand<byte[], byte[], byte[]> {

        private static final byte[] PING = "*1\r\n$4\r\nPING\r\n".getBytes(StandardCharsets.US_ASCII);

        private final Reply reply;

        private volatile boolean replaced;

        UnrepeatedCommand(CommandType type, CommandArgs<byte[], byte[]> arguments) {
            this(type, arguments, new Reply());
        }

        private UnrepeatedCommand(CommandType type, CommandArgs<byte[], byte[]> arguments, Reply reply) {
            super(new Command<>(type, reply, arguments));
            this.reply = reply;
        }

        private static final class Reply extends ByteArrayOutput<byte[], byte[]> {

            /** Whether the command was written and has no reply yet. */
            private volatile boolean due;

            Reply() {
                super(ByteArrayCodec.INSTANCE);
            }

            @Override
            public void setError(ByteBuffer error) {
                due = false;
                super.setError(error);
            }
        }

        @Override
        public void encode(ByteBuf buffer) {
            boolean repeated = reply.due;
            // set before checking for a cancellation, which may happen concurrently: see isNotDone
            reply.due = true;
            replaced |= repeated || isDone();
            if (replaced) {
                buffer.writeBytes(PING);
            } else {
                super.encode(buffer);
            }
        }

        /** Not called while encoding: callbacks send other commands, which would overtake the PING. */
        @Override
        public void complete() {
            if (replaced) {
                completeExceptionally(new RedisException("The connection was lost before the reply arrived"));
            } else {
                super.complete();
            }
        }

        /** Returns whether no server executed the command, given its failure: it was not sent, or it was redirected. */
        boolean isNotDone(Throwable failure) {
            return !replaced && !reply.due && !(failure instanceof RedisCommandExecutionException);
        }
    }
}
