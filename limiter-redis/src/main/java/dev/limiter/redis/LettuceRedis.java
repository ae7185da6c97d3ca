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
 * {@link Redis} over a connection of Lettuce, which it closes when closed. A node with 10,000 unanswered commands gets
 * no others, which fail at once: a server that stands still fills no memory. A server executes no command twice, with
 * any options of the connection. Thread-safe; never blocks.
 */
public class LettuceRedis implements Redis {

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

    /** Whether keys have to be in one slot to be used together. */
    private volatile boolean bySlot;

    /** Digests of scripts that some node was sent already. */
    private final Set<String> sent = ConcurrentHashMap.newKeySet();

    /** By node. */
    private final ConcurrentHashMap<String, AtomicInteger> unanswered = new ConcurrentHashMap<>();

    /** To one server, which may have replicas, or to a cluster that is behind one address. */
    public LettuceRedis(StatefulRedisConnection<byte[], byte[]> connection) {
        this.connection = connection;
        this.bySlot = false;
    }

    /** To a cluster. */
    public LettuceRedis(StatefulRedisClusterConnection<byte[], byte[]> connection) {
        this.connection = connection;
        this.bySlot = true;
    }

    @Override
    public CompletionStage<byte[]> run(Script script, byte[][] names, byte[]... arguments) {
        // each node has to be sent it once, and forgets it on its own
        boolean first = sent.add(script.digest());
        return send(first ? eval(script, names, arguments) : evalsha(script, names, arguments), names)
                .exceptionallyCompose(failure -> {
                    if (failure instanceof RedisNoScriptException) {
                        return send(eval(script, names, arguments), names);
                    }
                    // a cluster behind one address: it is used as one from now on
                    bySlot |= String.valueOf(failure.getMessage()).startsWith("CROSSSLOT");
                    return CompletableFuture.failedFuture(AclRights.explained(failure, script));
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

    /** Sends a command to the node of these keys, unless too many have no answer there. */
    private CompletionStage<byte[]> send(UnrepeatedCommand command, byte[][] names) {
        AtomicInteger count =
                unanswered.computeIfAbsent(isClustered() ? node(slot(names[0])) : "", node -> new AtomicInteger());
        if (count.incrementAndGet() > MOST_UNANSWERED) {
            count.decrementAndGet();
            return CompletableFuture.failedFuture(RedisErrors.notDone(
                    "Redis has not answered " + MOST_UNANSWERED + " commands, so that it is sent no others", null));
        }
        CompletableFuture<byte[]> answer = new CompletableFuture<>();
        var unused = command.whenComplete((reply, failure) -> {
            count.decrementAndGet();
            if (failure == null) {
                answer.complete(reply);
            } else {
                answer.completeExceptionally(
                        command.isNotDone(failure)
                                ? RedisErrors.notDone("Redis was not asked: " + failure, failure)
                                : failure);
            }
        });
        try {
            connection.dispatch(command);
        } catch (RuntimeException | Error failure) {
            command.completeExceptionally(failure);
        }
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

    /**
     * A command that no server executes twice. Lettuce writes what has no answer once more: when its connection is back,
     * or to another node of a cluster. The second time a PING is written instead, whose answer keeps the order of
     * answers and fails the command; so it is for a command that was cancelled before. A redirect is an answer: the next
     * node is sent the command itself.
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

            /** Whether the command was written, and no answer has come. */
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
            // before the look at what may be cancelled meanwhile: see isNotDone
            reply.due = true;
            replaced |= repeated || isDone();
            if (replaced) {
                buffer.writeBytes(PING);
            } else {
                super.encode(buffer);
            }
        }

        /** Not while it is encoded: callbacks send other commands, which would overtake the PING. */
        @Override
        public void complete() {
            if (replaced) {
                completeExceptionally(new RedisException("The connection was lost before the answer came"));
            } else {
                super.complete();
            }
        }

        /** Whether no server has done anything, given what it failed with: none was sent the command, or one has redirected it. */
        boolean isNotDone(Throwable failure) {
            return !replaced && !reply.due && !(failure instanceof RedisCommandExecutionException);
        }
    }
}
