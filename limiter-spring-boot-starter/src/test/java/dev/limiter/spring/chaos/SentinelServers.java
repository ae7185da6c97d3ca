package dev.limiter.spring.chaos;

import dev.limiter.spring.RedisServers;
import io.lettuce.core.RedisException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** A master, its replica and a Sentinel, which promotes the replica when the master has not answered for two seconds. */
final class SentinelServers implements AutoCloseable {

    private static final String NAME = "main";

    private final RedisProcess master;
    private final RedisProcess replica;
    private final RedisProcess sentinel;

    /** Starts them, and waits until they know of each other. {@code folder}: an empty one. */
    SentinelServers(Path folder) throws IOException {
        master = start("--dir", folder.toString(), "--repl-diskless-sync-delay", "0");
        replica = start("--dir", folder.toString(), "--replicaof", RedisProcess.HOST, "" + master.port());
        awaitReplication();
        sentinel = start(configuration(folder).toString(), "--sentinel");
        ChaosSupport.await(
                () -> sentinel.ask(commands -> commands.info("sentinel")).contains("slaves=1"));
    }

    private static RedisProcess start(String... options) {
        RedisProcess process = new RedisProcess(RedisServers.freePort(), options);
        process.start();
        return process;
    }

    private Path configuration(Path folder) throws IOException {
        return Files.write(
                folder.resolve("sentinel.conf"),
                List.of(
                        "dir " + folder,
                        "sentinel monitor " + NAME + " " + RedisProcess.HOST + " " + master.port() + " 1",
                        "sentinel down-after-milliseconds " + NAME + " 2000",
                        "sentinel failover-timeout " + NAME + " 2000"));
    }

    /** A replica that is connected has what there was, but may be told of nothing new for another second. */
    private void awaitReplication() {
        ChaosSupport.await(
                () -> replica.ask(commands -> commands.info("replication")).contains("master_link_status:up"));
        master.ask(commands -> commands.set("new", "to the replica"));
        ChaosSupport.await(() -> replica.ask(commands -> commands.exists("new")) == 1);
    }

    /** How an application finds the master. */
    Stream<String> properties() {
        return Stream.of(
                "spring.data.redis.sentinel.master=" + NAME,
                "spring.data.redis.sentinel.nodes=" + RedisProcess.HOST + ":" + sentinel.port());
    }

    /** The first one; it stays that also when it is none any more. */
    RedisProcess master() {
        return master;
    }

    void awaitPromotion() {
        ChaosSupport.await(this::isPromoted);
    }

    private boolean isPromoted() {
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
    }
}
