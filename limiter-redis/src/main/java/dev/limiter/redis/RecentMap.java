package dev.limiter.redis;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A bounded map that drops approximately the least recently used entries. Each use moves an entry to the younger of two
 * generations. When the younger one reaches half of the bound, it replaces the older one. Thread-safe; never blocks for
 * long.
 */
final class RecentMap<K, V> {

    private final int half;
    private volatile Map<K, V> young = new ConcurrentHashMap<>();
    private volatile Map<K, V> old = new ConcurrentHashMap<>();

    /** Creates a map of at most {@code most} entries, and a few more during concurrent puts. */
    RecentMap(int most) {
        this.half = most / 2;
    }

    public @Nullable V get(K key) {
        V value = young.get(key);
        if (value == null && old.containsKey(key)) {
            Map<K, V> last = old;
            makeRoom();
            // under the lock of its new place, where a concurrent removal finds it
            value = young.computeIfAbsent(key, absent -> last.remove(absent));
        }
        // another thread may have moved it
        return value != null ? value : young.get(key);
    }

    public void put(K key, V value) {
        makeRoom();
        young.put(key, value);
    }

    private void makeRoom() {
        if (young.size() >= half) {
            rotate();
        }
    }

    private synchronized void rotate() {
        if (young.size() >= half) {
            old = young;
            young = new ConcurrentHashMap<>();
        }
    }

    public void remove(K key) {
        Map<K, V> latest;
        do {
            latest = young;
            // the older generation first: an entry that is moved concurrently is found in the younger one
            old.remove(key);
            latest.remove(key);
        } while (latest != young);
    }

    public void remove(K key, V value) {
        old.remove(key, value);
        young.remove(key, value);
    }

    public void removeIf(Predicate<? super V> unused) {
        young.values().removeIf(unused);
        old.values().removeIf(unused);
    }

    public boolean isEmpty() {
        return young.isEmpty() && old.isEmpty();
    }

    public int size() {
        return young.size() + old.size();
    }
}
