package dev.limiter.testkit;

import io.lettuce.core.RedisException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** A master, a replica and a Sentinel, which promotes the replica if the master does not reply for one second. */
public final class RedisSentinel implements AutoCloseable {

    public static final String NAME = "main";

    private final TemporaryFolder folder = TemporaryFolder.of("limiter-sentinel");
    private final RedisServer master;
    private final RedisServer replica;
    private final RedisServer sentinel;

    /** Starts all servers, and waits until they are connected. */
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
     * Waits until the replica receives new writes. A newly connected replica has the earlier data, but may not receive
     * writes for another second.
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

    /** Returns the properties with which an application finds the master. */
    public String[] properties() {
        return new String[] {
            "spring.data.redis.sentinel.master=" + NAME,
            "spring.data.redis.sentinel.nodes=" + RedisServer.HOST + ":" + sentinel.port()
        };
    }

    /** Returns the initial master, even after a promotion. */
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
            // Sentinel closes all connections to a server that it promotes
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
