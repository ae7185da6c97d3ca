package dev.limiter.algorithm;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The chunks of a sliding window log as an immutable B+ tree, oldest first: every change makes a new tree that shares
 * with the old one all but the nodes on one path from the root. So logs can share a tree, and any operation on {@code
 * n} entries visits, or copies, at most {@link #CHILDREN} nodes on each of at most {@code log8(n / 16) + 2} levels.
 *
 * <p>Chunks come at one end and leave at the other. A chunk or a branch in between that has lost entries is joined with
 * its neighbour once both fit in one, so nodes are half full on average.
 */
abstract sealed class ChunkTree {

    /** The most nodes under one. */
    static final int CHILDREN = 16;

    /** The time of the oldest entry. */
    final long first;

    /** The permits of all entries. */
    final long permits;

    /** The levels of branches above the chunks. */
    final int height;

    ChunkTree(long first, long permits, int height) {
        this.first = first;
        this.permits = permits;
        this.height = height;
    }

    /** The tree with a chunk of full size after all others; {@code tree}: null for none. */
    static ChunkTree append(@Nullable ChunkTree tree, long[] chunk) {
        Leaf leaf = new Leaf(chunk);
        if (tree == null) {
            return leaf;
        }
        ChunkTree grown = tree.append(leaf);
        return grown != null ? grown : new Branch(tree, leaf.raisedTo(tree.height));
    }

    /** The same chunks under no more levels than needed. */
    static @Nullable ChunkTree trim(@Nullable ChunkTree tree) {
        ChunkTree root = tree;
        while (root instanceof Branch branch && branch.children.length == 1) {
            root = branch.children[0];
        }
        return root;
    }

    /** The tree with a leaf after all others; null if there is no place on this level. */
    abstract @Nullable ChunkTree append(Leaf leaf);

    /** A branch of that height with nothing but this. */
    final ChunkTree raisedTo(int height) {
        ChunkTree raised = this;
        while (raised.height < height) {
            raised = new Branch(raised);
        }
        return raised;
    }

    abstract long[] firstChunk();

    abstract long[] lastChunk();

    /** Without the first chunk; null if that was all. */
    abstract @Nullable ChunkTree withoutFirst();

    /** Without the last chunk; null if that was all. */
    abstract @Nullable ChunkTree withoutLast();

    /** Without the chunks before the one that a time falls into. */
    abstract ChunkTree startingAt(long time);

    /** When the permit with this number was taken, counted from 1. */
    abstract long timeOf(long permit);

    /** How many permits were taken at exactly this time. */
    abstract long permitsAt(long time);

    /** The tree with fewer permits at a time at which at least so many were taken; null if no entry is left. */
    abstract @Nullable ChunkTree without(long time, long permits);

    /** This and the next node of the same height as one; null if they do not fit in one. */
    abstract @Nullable ChunkTree join(ChunkTree next);

    static final class Leaf extends ChunkTree {

        final long[] chunk;

        Leaf(long[] chunk) {
            super(PermitLogChunk.time(chunk, 0), PermitLogChunk.permits(chunk, 0, PermitLogChunk.size(chunk)), 0);
            this.chunk = chunk;
        }

        private int find(long time) {
            return PermitLogChunk.find(chunk, 0, PermitLogChunk.size(chunk), time);
        }

        @Override
        @Nullable
        ChunkTree append(Leaf leaf) {
            return null;
        }

        @Override
        long[] firstChunk() {
            return chunk;
        }

        @Override
        long[] lastChunk() {
            return chunk;
        }

        @Override
        @Nullable
        ChunkTree withoutFirst() {
            return null;
        }

        @Override
        @Nullable
        ChunkTree withoutLast() {
            return null;
        }

        @Override
        ChunkTree startingAt(long time) {
            return this;
        }

        @Override
        long timeOf(long permit) {
            return PermitLogChunk.time(chunk, PermitLogChunk.entryOf(chunk, 0, PermitLogChunk.size(chunk), permit));
        }

        @Override
        long permitsAt(long time) {
            int entry = find(time);
            return entry < 0 ? 0 : PermitLogChunk.permits(chunk, entry);
        }

        @Override
        @Nullable
        ChunkTree without(long time, long permits) {
            long[] left = PermitLogChunk.without(chunk, find(time), permits);
            return left.length == 0 ? null : new Leaf(left);
        }

        @Override
        @Nullable
        ChunkTree join(ChunkTree next) {
            Leaf leaf = (Leaf) next;
            boolean fits = chunk.length + leaf.chunk.length <= 2 * PermitLogChunk.MOST;
            return fits ? new Leaf(PermitLogChunk.join(chunk, leaf.chunk)) : null;
        }
    }

    static final class Branch extends ChunkTree {

        final ChunkTree[] children;

        Branch(ChunkTree... children) {
            super(children[0].first, permits(children), children[0].height + 1);
            this.children = children;
        }

        private static long permits(ChunkTree[] children) {
            long permits = 0;
            for (ChunkTree child : children) {
                permits += child.permits;
            }
            return permits;
        }

        private int last() {
            return children.length - 1;
        }

        /** The last child that starts no later; the first one if none does. */
        private int find(long time) {
            int child = last();
            while (child > 0 && children[child].first - time > 0) {
                child--;
            }
            return child;
        }

        @Override
        @Nullable
        ChunkTree append(Leaf leaf) {
            ChunkTree grown = children[last()].append(leaf);
            if (grown != null) {
                return replaced(last(), 1, grown);
            }
            return children.length < CHILDREN ? replaced(children.length, 0, leaf.raisedTo(height - 1)) : null;
        }

        @Override
        long[] firstChunk() {
            return children[0].firstChunk();
        }

        @Override
        long[] lastChunk() {
            return children[last()].lastChunk();
        }

        @Override
        @Nullable
        ChunkTree withoutFirst() {
            return replaced(0, 1, children[0].withoutFirst());
        }

        @Override
        @Nullable
        ChunkTree withoutLast() {
            return replaced(last(), 1, children[last()].withoutLast());
        }

        @Override
        ChunkTree startingAt(long time) {
            int child = find(time);
            ChunkTree start = children[child].startingAt(time);
            if (child == 0 && start == children[0]) {
                return this;
            }
            ChunkTree[] kept = Arrays.copyOfRange(children, child, children.length);
            kept[0] = start;
            return new Branch(kept);
        }

        @Override
        long timeOf(long permit) {
            int child = 0;
            long left = permit;
            for (; left > children[child].permits; child++) {
                left -= children[child].permits;
            }
            return children[child].timeOf(left);
        }

        @Override
        long permitsAt(long time) {
            return children[find(time)].permitsAt(time);
        }

        @Override
        @Nullable
        ChunkTree without(long time, long permits) {
            int child = find(time);
            ChunkTree left = children[child].without(time, permits);
            if (left == null) {
                return replaced(child, 1, null);
            }
            ChunkTree joined = child > 0 ? children[child - 1].join(left) : null;
            if (joined != null) {
                return replaced(child - 1, 2, joined);
            }
            joined = child < last() ? left.join(children[child + 1]) : null;
            return joined != null ? replaced(child, 2, joined) : replaced(child, 1, left);
        }

        @Override
        @Nullable
        ChunkTree join(ChunkTree next) {
            Branch branch = (Branch) next;
            int size = children.length + branch.children.length;
            if (size > CHILDREN) {
                return null;
            }
            ChunkTree[] joined = Arrays.copyOf(children, size);
            for (int child = 0; child < branch.children.length; child++) {
                joined[children.length + child] = branch.children[child];
            }
            return new Branch(joined);
        }

        /**
         * The node with one child, or none, in place of {@code count} from {@code index} on; null if no child is left.
         */
        private @Nullable ChunkTree replaced(int index, int count, @Nullable ChunkTree by) {
            int added = by == null ? 0 : 1;
            int size = children.length - count + added;
            if (size == 0) {
                return null;
            }
            ChunkTree[] changed = Arrays.copyOf(children, size);
            if (by != null) {
                changed[index] = by;
            }
            for (int child = index + added; child < size; child++) {
                changed[child] = children[child + count - added];
            }
            return new Branch(changed);
        }
    }
}
