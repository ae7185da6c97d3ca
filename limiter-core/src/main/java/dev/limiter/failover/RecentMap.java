package dev.limiter.failover;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A bounded map that drops the least recently used entries, roughly: each use moves an entry to the younger of two
 * generations, and a younger generation of half the bound replaces the older one. Thread-safe; never blocks for long.
 */
public final class RecentMap<K, V> {

    private final int half;
    private volatile Map<K, V> young = new ConcurrentHashMap<>();
    private volatile Map<K, V> old = new ConcurrentHashMap<>();

    /** {@code most}: how many entries there are at most, but for a few that come at the same time. */
    public RecentMap(int most) {
        this.half = most / 2;
    }

    public @Nullable V get(K key) {
        V value = young.get(key);
        if (value != null) {
            return value;
        }
        Map<K, V> last = old;
        V older = last.get(key);
        if (older != null && last.remove(key, older)) {
            put(key, older);
        }
        return older;
    }

    public V computeIfAbsent(K key, Function<? super K, ? extends V> made) {
        V known = get(key);
        if (known != null) {
            return known;
        }
        makeRoom();
        return young.computeIfAbsent(key, made);
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
        young.remove(key);
        old.remove(key);
    }

    public void remove(K key, V value) {
        young.remove(key, value);
        old.remove(key, value);
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
