package dev.limiter.redis;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import io.lettuce.core.resource.Delay;
import io.lettuce.core.sentinel.api.sync.RedisSentinelCommands;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

/** A master, its replica and a Sentinel that makes the one the other, on loopback. */
final class RedisWithSentinel implements AutoCloseable {

    private static final String NAME = "main";
    private static final String LOOPBACK = "127.0.0.1";

    private final Path folder;
    private final List<Integer> ports = List.of(TestServer.freePort(), TestServer.freePort());
    private final int sentinelPort = TestServer.freePort();
    private final List<Process> processes = new ArrayList<>();
    private final List<RedisCommands<String, String>> servers = new ArrayList<>();
    private final List<RedisClient> direct = new ArrayList<>();
    private final RedisSentinelCommands<String, String> sentinel;
    private final ClientResources resources = DefaultClientResources.builder()
            .reconnectDelay(Delay.constant(Duration.ofMillis(500)))
            .build();
    private final RedisURI uri = RedisURI.Builder.sentinel(LOOPBACK, sentinelPort, NAME)
            .withTimeout(Duration.ofMillis(500))
            .build();
    private final RedisClient client = RedisClient.create(resources, uri);

    RedisWithSentinel() {
        try {
            folder = Files.createTempDirectory("limiter-sentinel");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        client.setOptions(ClientOptions.builder()
                .disconnectedBehavior(ClientOptions.DisconnectedBehavior.REJECT_COMMANDS)
                .socketOptions(SocketOptions.builder()
                        .connectTimeout(Duration.ofMillis(500))
                        .build())
                .build());
        ports.forEach(this::startServer);
        servers.get(1).replicaof(LOOPBACK, ports.get(0));
        awaitReplica(0);
        sentinel = startSentinel();
        RedisClusterOfSix.await(() -> sentinel.replicas(NAME).size() == 1);
    }

    private void startServer(int port) {
        start(
                "--port",
                "" + port,
                "--bind",
                LOOPBACK,
                "--save",
                "",
                "--dir",
                folder.toString(),
                "--repl-diskless-sync-delay",
                "0");
        RedisProcess.awaitAnswer(port);
        servers.add(client(port).connect().sync());
    }

    private RedisClient client(int port) {
        RedisClient created = RedisClient.create(RedisURI.create(LOOPBACK, port));
        direct.add(created);
        return created;
    }

    private RedisSentinelCommands<String, String> startSentinel() {
        Path configuration = folder.resolve("sentinel.conf");
        try {
            Files.write(
                    configuration,
                    List.of(
                            "port " + sentinelPort,
                            "bind " + LOOPBACK,
                            "dir " + folder,
                            "sentinel monitor " + NAME + " " + LOOPBACK + " " + ports.get(0) + " 1",
                            "sentinel down-after-milliseconds " + NAME + " 1000",
                            "sentinel failover-timeout " + NAME + " 2000"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        start(configuration.toString(), "--sentinel");
        RedisProcess.awaitAnswer(sentinelPort);
        return client(sentinelPort).connectSentinel().sync();
    }

    private void start(String... arguments) {
        List<String> command = new ArrayList<>(List.of(RedisProcess.program()));
        command.addAll(Arrays.asList(arguments));
        try {
            processes.add(new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void awaitReplica(int master) {
        RedisClusterOfSix.await(
                () -> servers.get(1 - master).info("replication").contains("master_link_status:up"));
    }

    /** Begins to connect to the master, whichever that is. */
    CompletionStage<Redis> connect() {
        return client.connectAsync(ByteArrayCodec.INSTANCE, uri).thenApply(LettuceRedis::new);
    }

    /** Which of the two servers Sentinel says is the master. */
    int master() {
        return ports.indexOf(((InetSocketAddress) sentinel.getMasterAddrByName(NAME)).getPort());
    }

    /** Returns when the replica has all that the master has. */
    void awaitReplication() {
        int master = master();
        awaitReplica(master);
        // WAIT is about what this connection wrote; all else was written before
        servers.get(master).set("last", "written");
        RedisClusterOfSix.await(() -> servers.get(master).waitForReplication(1, 1000) == 1);
    }

    /** As {@code kill -9}. */
    void killMaster() {
        processes.get(master()).destroyForcibly();
    }

    /** The master neither answers nor goes away. */
    void stopMaster() {
        signal("-STOP", processes.get(master()));
    }

    private static void signal(String signal, Process process) {
        try {
            new ProcessBuilder("kill", signal, "" + process.pid()).start().waitFor(10, TimeUnit.SECONDS);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        client.shutdown(0, 1, TimeUnit.SECONDS);
        var unused = resources.shutdown(0, 1, TimeUnit.SECONDS);
        direct.forEach(one -> one.shutdown(0, 1, TimeUnit.SECONDS));
        processes.forEach(Process::destroyForcibly);
        deleteFolder();
    }

    private void deleteFolder() {
        try (var files = Files.walk(folder)) {
            files.sorted(Comparator.reverseOrder())
                    .forEach(file -> file.toFile().delete());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
