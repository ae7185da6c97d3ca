package dev.limiter.testkit;

import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.cluster.models.partitions.ClusterPartitionParser;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** A Redis cluster on loopback: three masters with a third of the slots each, and optional replicas. */
public final class RedisCluster implements AutoCloseable {

    private static final int MASTERS = 3;

    /** The distance from the port of a node to its cluster bus port. */
    private static final int BUS = 10_000;

    private final TemporaryFolder folder = TemporaryFolder.of("limiter-cluster");
    private final List<RedisServer> nodes;

    private RedisCluster(int size, String... options) {
        nodes = IntStream.range(0, size).mapToObj(i -> start(options)).toList();
        for (int i = 0; i < MASTERS; i++) {
            int[] slots = IntStream.range(firstSlot(i), firstSlot(i + 1)).toArray();
            nodes.get(i).ask(node -> node.clusterAddSlots(slots));
        }
        for (RedisServer other : nodes.subList(1, size)) {
            other.ask(node -> node.clusterMeet(RedisServer.HOST, nodes.get(0).port()));
        }
        Conditions.await(
                () -> all(nodes.subList(0, MASTERS), node -> node.clusterInfo().contains("cluster_state:ok")));
        Conditions.await(() -> all(nodes, node -> node.clusterInfo().contains("cluster_known_nodes:" + size)));
    }

    /** Starts masters without replicas. While a master is down, only its own slots fail. */
    public static RedisCluster ofMasters() {
        return new RedisCluster(MASTERS, "--cluster-require-full-coverage", "no");
    }

    /** Starts masters with one replica each, which takes over one second after its master is gone. */
    public static RedisCluster withReplicas() {
        RedisCluster cluster = new RedisCluster(
                2 * MASTERS,
                "--cluster-node-timeout",
                "1000",
                "--repl-diskless-sync-delay",
                "0",
                "--cluster-replica-validity-factor",
                "0");
        cluster.replicate();
        return cluster;
    }

    private RedisServer start(String... options) {
        int port = Ports.free(BUS);
        List<String> all = new ArrayList<>(List.of(options));
        all.addAll(List.of("--cluster-enabled", "yes", "--cluster-config-file", port + ".conf"));
        all.addAll(List.of("--dir", folder.path().toString()));
        return RedisServer.started(port, all.toArray(String[]::new));
    }

    private void replicate() {
        for (int i = 0; i < MASTERS; i++) {
            String master = nodes.get(i).ask(node -> node.clusterMyId());
            RedisServer replica = nodes.get(MASTERS + i);
            Conditions.await(() -> replica.ask(node -> node.clusterNodes()).contains(master));
            replica.ask(node -> node.clusterReplicate(master));
        }
        Conditions.await(() -> nodes.get(0)
                        .ask(node -> node.clusterNodes())
                        .lines()
                        .filter(line -> line.contains("slave"))
                        .count()
                == MASTERS);
        Conditions.await(() -> all(
                nodes.subList(MASTERS, 2 * MASTERS),
                node -> node.info("replication").contains("master_link_status:up")));
        Conditions.await(() -> all(nodes, node -> node.clusterInfo().contains("cluster_state:ok")));
    }

    private static boolean all(List<RedisServer> nodes, Function<RedisCommands<String, String>, Boolean> condition) {
        return nodes.stream().allMatch(node -> node.ask(condition));
    }

    private static int firstSlot(int master) {
        return master * SlotHash.SLOT_COUNT / MASTERS;
    }

    /** Returns the initial masters. */
    public List<RedisServer> masters() {
        return nodes.subList(0, MASTERS);
    }

    /** Returns the value for {@code spring.data.redis.cluster.nodes}. */
    public String addresses() {
        return masters().stream()
                .map(node -> RedisServer.HOST + ":" + node.port())
                .collect(Collectors.joining(","));
    }

    /** Returns the initial master of the slot of a key. */
    public static int masterOf(String key) {
        int slot = SlotHash.getSlot(key);
        return (int) IntStream.range(1, MASTERS)
                .filter(master -> slot >= firstSlot(master))
                .count();
    }

    /** Moves all slots with keys of a pattern to the next master, as an operator does; returns their number. */
    public int moveSlots(String pattern) {
        List<List<Integer>> slots = masters().stream()
                .map(node -> node.ask(commands -> commands.keys(pattern)).stream()
                        .map(SlotHash::getSlot)
                        .distinct()
                        .toList())
                .toList();
        for (int from = 0; from < MASTERS; from++) {
            for (int slot : slots.get(from)) {
                moveSlot(slot, from, (from + 1) % MASTERS);
            }
        }
        return slots.stream().mapToInt(List::size).sum();
    }

    /** Moves the slot of a key with its content to a master; returns when all nodes have the new assignment. */
    public void moveSlot(String key, int to) {
        int slot = SlotHash.getSlot(key);
        moveSlot(slot, masterOf(key), to);
        // wait for replicas too: one that takes over serves only the slots that it has received
        String owner = nodes.get(to).ask(node -> node.clusterMyId());
        Conditions.await(() -> nodes.stream()
                .filter(RedisServer::isRunning)
                .allMatch(node -> owner.equals(node.ask(commands -> ownerOf(slot, commands)))));
    }

    private static String ownerOf(int slot, RedisCommands<String, String> commands) {
        return ClusterPartitionParser.parse(commands.clusterNodes())
                .getPartitionBySlot(slot)
                .getNodeId();
    }

    private void moveSlot(int slot, int from, int to) {
        RedisServer source = nodes.get(from);
        RedisServer target = nodes.get(to);
        String targetId = target.ask(node -> node.clusterMyId());
        String sourceId = source.ask(node -> node.clusterMyId());
        target.ask(node -> node.clusterSetSlotImporting(slot, sourceId));
        source.ask(node -> node.clusterSetSlotMigrating(slot, targetId));
        for (String key : source.ask(node -> node.clusterGetKeysInSlot(slot, Integer.MAX_VALUE))) {
            source.ask(node -> node.migrate(RedisServer.HOST, target.port(), key, 0, 5000));
        }
        // the new owner first, so that the slot always has one
        target.ask(node -> node.clusterSetSlotNode(slot, targetId));
        masters().forEach(master -> master.ask(node -> node.clusterSetSlotNode(slot, targetId)));
    }

    /** Kills a master with {@code kill -9}; returns when its replica has taken over. */
    public void killMaster(int index) {
        nodes.get(index).kill();
        RedisServer replica = nodes.get(MASTERS + index);
        Conditions.await(() -> replica.ask(node -> node.info("replication")).contains("role:master"));
        Conditions.await(() -> replica.ask(node -> node.clusterInfo()).contains("cluster_state:ok"));
    }

    /**
     * Runs commands on the node that now serves the slots of a master: the master itself, or its replica after {@link
     * #killMaster}.
     */
    public <T> T askServing(int master, Function<RedisCommands<String, String>, T> question) {
        RedisServer first = nodes.get(master);
        return (first.isRunning() ? first : nodes.get(MASTERS + master)).ask(question);
    }

    @Override
    public void close() {
        nodes.forEach(RedisServer::close);
        folder.close();
    }
}
