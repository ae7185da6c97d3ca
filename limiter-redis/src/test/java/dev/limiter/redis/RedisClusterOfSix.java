package dev.limiter.redis;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.ClusterTopologyRefreshOptions;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.codec.ByteArrayCodec;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Three masters, each with a replica, on loopback. */
final class RedisClusterOfSix implements AutoCloseable {

    private static final int MASTERS = 3;
    private static final int BUS = 10_000;

    private final List<Integer> ports = freePorts();
    private final List<Process> processes = new ArrayList<>();
    private final List<RedisClient> clients = new ArrayList<>();
    private final List<RedisCommands<String, String>> nodes = new ArrayList<>();
    private final RedisClusterClient client;
    private final Path folder;

    RedisClusterOfSix() {
        try {
            folder = Files.createTempDirectory("limiter-cluster");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        ports.forEach(this::start);
        join();
        client = RedisClusterClient.create(RedisURI.create("127.0.0.1", ports.get(0)));
        client.setOptions(ClusterClientOptions.builder()
                .topologyRefreshOptions(ClusterTopologyRefreshOptions.builder()
                        .enableAllAdaptiveRefreshTriggers()
                        .adaptiveRefreshTriggersTimeout(Duration.ofMillis(200))
                        .enablePeriodicRefresh(Duration.ofMillis(500))
                        .build())
                .disconnectedBehavior(ClusterClientOptions.DisconnectedBehavior.REJECT_COMMANDS)
                .build());
    }

    private static List<Integer> freePorts() {
        List<Integer> free = new ArrayList<>();
        while (free.size() < 2 * MASTERS) {
            int port = ThreadLocalRandom.current().nextInt(20_000, 30_000);
            if (isFree(port) && isFree(port + BUS) && !free.contains(port)) {
                free.add(port);
            }
        }
        return free;
    }

    private static boolean isFree(int port) {
        try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
            return socket.isBound();
        } catch (IOException e) {
            return false;
        }
    }

    private void start(int port) {
        try {
            Path home = Files.createDirectories(folder.resolve("" + port));
            processes.add(new ProcessBuilder(
                            RedisProcess.program(),
                            "--port",
                            "" + port,
                            "--bind",
                            "127.0.0.1",
                            "--save",
                            "",
                            "--dir",
                            home.toString(),
                            "--cluster-enabled",
                            "yes",
                            "--cluster-node-timeout",
                            "1000",
                            "--repl-diskless-sync-delay",
                            "0",
                            "--cluster-replica-validity-factor",
                            "0",
                            "--loglevel",
                            "warning")
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        RedisProcess.awaitAnswer(port);
        RedisClient direct = RedisClient.create(RedisURI.create("127.0.0.1", port));
        clients.add(direct);
        nodes.add(direct.connect().sync());
    }

    private void join() {
        int slots = SlotHash.SLOT_COUNT / MASTERS;
        for (int i = 0; i < MASTERS; i++) {
            int last = i == MASTERS - 1 ? SlotHash.SLOT_COUNT : (i + 1) * slots;
            int[] range = java.util.stream.IntStream.range(i * slots, last).toArray();
            nodes.get(i).clusterAddSlots(range);
        }
        for (int i = 1; i < nodes.size(); i++) {
            nodes.get(i).clusterMeet("127.0.0.1", ports.get(0));
        }
        await(() -> nodes.stream().allMatch(node -> node.clusterNodes().lines().count() == nodes.size()));
        for (int i = 0; i < MASTERS; i++) {
            String master = nodes.get(i).clusterMyId();
            RedisCommands<String, String> replica = nodes.get(MASTERS + i);
            await(() -> replica.clusterNodes().contains(master));
            replica.clusterReplicate(master);
        }
        await(() -> nodes.stream().allMatch(node -> node.clusterInfo().contains("cluster_state:ok")));
        await(() -> nodes.get(0)
                        .clusterNodes()
                        .lines()
                        .filter(line -> line.contains("slave"))
                        .count()
                == MASTERS);
        await(() -> nodes.stream()
                .skip(MASTERS)
                .allMatch(node -> node.info("replication").contains("master_link_status:up")));
    }

    static void await(BooleanSupplier condition) {
        for (int i = 0; i < 3000 && !condition.getAsBoolean(); i++) {
            LockSupport.parkNanos(10_000_000);
        }
        if (!condition.getAsBoolean()) {
            throw new IllegalStateException("Waited half a minute for the cluster");
        }
    }

    /** One master over a connection that knows of no cluster. */
    Redis redisOfMaster(int master) {
        return new LettuceRedis(clients.get(master).connect(ByteArrayCodec.INSTANCE));
    }

    Redis redis() {
        return new LettuceRedis(client.connect(ByteArrayCodec.INSTANCE));
    }

    /** Which of the masters has the slot of a key. */
    int masterOf(String key) {
        int slot = SlotHash.getSlot(key);
        return Math.min(slot / (SlotHash.SLOT_COUNT / MASTERS), MASTERS - 1);
    }

    /** Moves the slot of a key from its master to another one, as an operator does, with what is in it. */
    void moveSlot(String key, int to) {
        int slot = SlotHash.getSlot(key);
        int from = masterOf(key);
        String source = nodes.get(from).clusterMyId();
        String target = nodes.get(to).clusterMyId();
        nodes.get(to).clusterSetSlotImporting(slot, source);
        nodes.get(from).clusterSetSlotMigrating(slot, target);
        for (String moved : nodes.get(from).clusterGetKeysInSlot(slot, 1000)) {
            nodes.get(from).migrate("127.0.0.1", ports.get(to), moved, 0, 5000);
        }
        nodes.get(to).clusterSetSlotNode(slot, target);
        nodes.get(from).clusterSetSlotNode(slot, target);
        for (int i = 0; i < MASTERS; i++) {
            nodes.get(i).clusterSetSlotNode(slot, target);
        }
    }

    /** As {@code kill -9} of a master; returns when its replica has taken over. */
    void killMaster(int index) {
        processes.get(index).destroyForcibly();
        RedisCommands<String, String> replica = nodes.get(MASTERS + index);
        await(() -> replica.info("replication").contains("role:master"));
        await(() -> replica.clusterInfo().contains("cluster_state:ok"));
    }

    /** Names of keys that have no expiry. */
    List<String> keysWithoutExpiry() {
        List<String> found = new ArrayList<>();
        for (int i = 0; i < MASTERS; i++) {
            RedisCommands<String, String> node = nodes.get(processes.get(i).isAlive() ? i : MASTERS + i);
            node.keys("*").stream().filter(key -> node.pttl(key) == -1).forEach(found::add);
        }
        return found;
    }

    @Override
    public void close() {
        client.shutdown(0, 1, TimeUnit.SECONDS);
        clients.forEach(direct -> direct.shutdown(0, 1, TimeUnit.SECONDS));
        processes.forEach(Process::destroyForcibly);
        deleteFolder();
    }

    private void deleteFolder() {
        try (var files = Files.walk(folder)) {
            files.sorted(java.util.Comparator.reverseOrder())
                    .forEach(file -> file.toFile().delete());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
