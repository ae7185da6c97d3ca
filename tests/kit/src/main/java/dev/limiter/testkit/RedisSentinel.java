package dev.limiter.testkit;

import io.lettuce.core.RedisException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** A master, its replica and a Sentinel, which promotes the replica when the master has not answered for a second. */
public final class RedisSentinel implements AutoCloseable {

    /** The name of the master. */
    public static final String NAME = "main";

    private final TemporaryFolder folder = TemporaryFolder.of("limiter-sentinel");
    private final RedisServer master;
    private final RedisServer replica;
    private final RedisServer sentinel;

    /** Starts them, and waits until they know of each other. */
    public RedisSentinel() {
        String[] options = {"--dir", folder.path().toString(), "--repl-diskless-sync-delay", "0"};
        master = RedisServer.started(options);
        replica = RedisServer.started(options);
        replica.ask(commands -> commands.replicaof(RedisServer.HOST, master.port()));
        awaitReplication();
        sentinel = RedisServer.started(configuration().toString(), "--sentinel");
        Conditions.await(
                () -> sentinel.ask(commands -> commands.info("sentinel")).contains("slaves=1"));
    }

    private Path configuration() {
        try {
            return Files.write(
                    folder.path().resolve("sentinel.conf"),
                    List.of(
                            "dir " + folder.path(),
                            "sentinel monitor " + NAME + " " + RedisServer.HOST + " " + master.port() + " 1",
                            "sentinel down-after-milliseconds " + NAME + " 1000",
                            "sentinel failover-timeout " + NAME + " 2000"));
        } catch (IOException exception) {
            throw new UncheckedIOException(exception);
        }
    }

    /**
     * Returns when the replica has all data of the master. A replica that has just connected has the earlier data, but
     * may not get new writes for another second.
     */
    public void awaitReplication() {
        Conditions.await(
                () -> replica.ask(commands -> commands.info("replication")).contains("master_link_status:up"));
        String last = "" + System.nanoTime();
        master.ask(commands -> commands.set("last", last));
        Conditions.await(() -> last.equals(replica.ask(commands -> commands.get("last"))));
    }

    public int port() {
        return sentinel.port();
    }

    /** How an application finds the master. */
    public String[] properties() {
        return new String[] {
            "spring.data.redis.sentinel.master=" + NAME,
            "spring.data.redis.sentinel.nodes=" + RedisServer.HOST + ":" + sentinel.port()
        };
    }

    /** The first one; it stays that also when it is none any more. */
    public RedisServer master() {
        return master;
    }

    public void awaitPromotion() {
        Conditions.await(this::isPromoted);
    }

    public boolean isPromoted() {
        try {
            return replica.ask(commands -> commands.info("replication")).contains("role:master");
        } catch (RedisException closed) {
            // by Sentinel, which closes all connections to the server that it promotes
            return false;
        }
    }

    @Override
    public void close() {
        sentinel.close();
        replica.close();
        master.close();
        folder.close();
    }
}
