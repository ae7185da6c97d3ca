package dev.limiter.spring.chaos;

import io.lettuce.core.cluster.SlotHash;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Three masters, each with a third of the slots. */
final class RedisCluster implements AutoCloseable {

    private static final int MASTERS = 3;

    /** How much higher than its port is the one that a node speaks to others on. */
    private static final int BUS = 10_000;

    private final List<RedisProcess> masters;

    /** Starts it, and waits until all slots are served. {@code folder}: an empty one. */
    RedisCluster(Path folder) {
        masters = IntStream.range(0, MASTERS).mapToObj(i -> start(folder)).toList();
        for (int i = 0; i < MASTERS; i++) {
            int first = i * SlotHash.SLOT_COUNT / MASTERS;
            int end = (i + 1) * SlotHash.SLOT_COUNT / MASTERS;
            masters.get(i)
                    .ask(node ->
                            node.clusterAddSlots(IntStream.range(first, end).toArray()));
        }
        for (RedisProcess other : masters.subList(1, MASTERS)) {
            other.ask(node -> node.clusterMeet(RedisProcess.HOST, masters.get(0).port()));
        }
        ChaosSupport.await(() -> masters.stream().allMatch(RedisCluster::servesAll));
    }

    private static RedisProcess start(Path folder) {
        int port = freePort();
        RedisProcess node = new RedisProcess(
                port,
                "--cluster-enabled",
                "yes",
                "--cluster-require-full-coverage",
                "no",
                "--cluster-config-file",
                port + ".conf",
                "--dir",
                folder.toString());
        node.start();
        return node;
    }

    private static int freePort() {
        int port;
        do {
            port = ThreadLocalRandom.current().nextInt(20_000, 30_000);
        } while (!isFree(port) || !isFree(port + BUS));
        return port;
    }

    private static boolean isFree(int port) {
        try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getByName(RedisProcess.HOST))) {
            return socket.isBound();
        } catch (IOException taken) {
            return false;
        }
    }

    private static boolean servesAll(RedisProcess node) {
        String info = node.ask(commands -> commands.clusterInfo());
        return info.contains("cluster_state:ok") && info.contains("cluster_known_nodes:" + MASTERS);
    }

    /** For {@code spring.data.redis.cluster.nodes}. */
    String nodes() {
        return masters.stream()
                .map(node -> RedisProcess.HOST + ":" + node.port())
                .collect(Collectors.joining(","));
    }

    /** One of the masters, which neither answers nor goes away. */
    void pauseFirst() {
        masters.get(0).pause();
    }

    void resumeFirst() {
        masters.get(0).resume();
    }

    /** Whether that one has a key. */
    static boolean isOnFirst(String key) {
        return SlotHash.getSlot(key) < SlotHash.SLOT_COUNT / MASTERS;
    }

    /** Moves all slots with keys of that pattern to the next master, as an operator does; returns how many. */
    int moveSlots(String pattern) {
        List<List<String>> keys = masters.stream()
                .map(node -> node.ask(commands -> commands.keys(pattern)))
                .toList();
        int moved = 0;
        for (int from = 0; from < MASTERS; from++) {
            List<Integer> slots =
                    keys.get(from).stream().map(SlotHash::getSlot).distinct().toList();
            for (int slot : slots) {
                move(slot, masters.get(from), masters.get((from + 1) % MASTERS));
                moved++;
            }
        }
        return moved;
    }

    private void move(int slot, RedisProcess from, RedisProcess to) {
        String source = from.ask(node -> node.clusterMyId());
        String target = to.ask(node -> node.clusterMyId());
        to.ask(node -> node.clusterSetSlotImporting(slot, source));
        from.ask(node -> node.clusterSetSlotMigrating(slot, target));
        for (String key : from.ask(node -> node.clusterGetKeysInSlot(slot, Integer.MAX_VALUE))) {
            from.ask(node -> node.migrate(RedisProcess.HOST, to.port(), key, 0, 5000));
        }
        // the new one first, or nobody would have the slot for a moment
        to.ask(node -> node.clusterSetSlotNode(slot, target));
        masters.forEach(master -> master.ask(node -> node.clusterSetSlotNode(slot, target)));
    }

    @Override
    public void close() {
        masters.forEach(RedisProcess::close);
    }
}
