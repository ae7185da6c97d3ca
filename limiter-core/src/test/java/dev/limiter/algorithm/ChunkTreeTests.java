package dev.limiter.algorithm;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The bounds of the work on a log: the size of every node and the number of levels, after any additions and removals.
 */
class ChunkTreeTests {

    private final List<ChunkTree.Leaf> leaves = new ArrayList<>();
    private final TreeMap<Long, Long> expected = new TreeMap<>();
    private @Nullable ChunkTree tree;
    private long time;

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void staysShallowAndHalfFull(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        for (int round = 0; round < 60; round++) {
            for (int i = random.nextInt(400); i >= 0; i--) {
                append(random);
            }
            // entries here and there, and whole stretches
            int one = random.nextInt(1, 40);
            long stretch = random.nextLong(time + 1);
            for (Long at : List.copyOf(expected.keySet())) {
                boolean within = at > stretch && at < stretch + 3000;
                if (tree != null && (within || random.nextInt(one) != 0 && round % 3 == 0)) {
                    remove(at, 1 + random.nextLong(expected.get(at)));
                }
            }
            if (round % 7 == 6 && tree != null) {
                cut(random.nextLong(time + 1));
            }
            check();
        }
    }

    private void append(SplittableRandom random) {
        long[] chunk = new long[2 * PermitLogChunk.MOST];
        for (int entry = 0; entry < PermitLogChunk.MOST; entry++) {
            time += random.nextLong(1, 4);
            chunk[2 * entry] = time;
            chunk[2 * entry + 1] = random.nextLong(1, 4);
            expected.put(time, chunk[2 * entry + 1]);
        }
        tree = ChunkTree.append(tree, chunk);
    }

    private void remove(long at, long permits) {
        long returned = Math.min(permits, tree.permitsAt(at));
        assertThat(returned).isPositive();
        tree = ChunkTree.trim(tree.without(at, returned));
        if (expected.merge(at, -returned, Long::sum) == 0) {
            expected.remove(at);
        }
    }

    private void cut(long at) {
        tree = ChunkTree.trim(tree.startingAt(at));
        expected.headMap(tree.first, false).clear();
    }

    private void check() {
        leaves.clear();
        if (tree == null) {
            assertThat(expected).isEmpty();
            return;
        }
        collect(tree);
        TreeMap<Long, Long> found = new TreeMap<>();
        for (ChunkTree.Leaf leaf : leaves) {
            for (int entry = 0; entry < PermitLogChunk.size(leaf.chunk); entry++) {
                found.put(PermitLogChunk.time(leaf.chunk, entry), PermitLogChunk.permits(leaf.chunk, entry));
            }
        }
        assertThat(found).isEqualTo(expected);
        int chunks = expected.size() / PermitLogChunk.MOST + 1;
        // but for what is cut at both ends
        assertThat(leaves.size()).isLessThanOrEqualTo(2 * chunks + 4);
        double levels = Math.log(leaves.size()) / Math.log(ChunkTree.CHILDREN / 2.0);
        assertThat(tree.height).isLessThanOrEqualTo((int) Math.ceil(levels) + 1);
        long permits = 1 + time % tree.permits;
        assertThat(tree.timeOf(permits)).isEqualTo(timeOf(permits));
    }

    private long timeOf(long permit) {
        long left = permit;
        for (var entry : expected.entrySet()) {
            left -= entry.getValue();
            if (left <= 0) {
                return entry.getKey();
            }
        }
        throw new AssertionError(permit);
    }

    private void collect(ChunkTree node) {
        if (node instanceof ChunkTree.Leaf leaf) {
            assertThat(leaf.chunk.length).isBetween(2, 2 * PermitLogChunk.MOST);
            leaves.add(leaf);
        } else if (node instanceof ChunkTree.Branch branch) {
            assertThat(branch.children.length).isBetween(1, ChunkTree.CHILDREN);
            assertThat(branch.children).allMatch(child -> child.height == branch.height - 1);
            Arrays.stream(branch.children).forEach(this::collect);
        }
    }
}
