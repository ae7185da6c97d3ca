package dev.limiter.redis.ahead;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A bounded map that drops the least recently used entries, roughly: each use moves an entry to the younger of two
 * generations, and a younger generation of half the bound replaces the older one. Thread-safe; never blocks for long.
 */
final class RecentMap<K, V> {

    private final int half;
    private volatile Map<K, V> young = new ConcurrentHashMap<>();
    private volatile Map<K, V> old = new ConcurrentHashMap<>();

    /** {@code most}: how many entries there are at most, but for a few that come at the same time. */
    RecentMap(int most) {
        this.half = most / 2;
    }

    public @Nullable V get(K key) {
        V value = young.get(key);
        if (value == null && old.containsKey(key)) {
            value = moved(key, absent -> null);
        }
        // another thread may have moved it in between; one that still does so hides it for a moment
        return value != null ? value : young.get(key);
    }

    public V computeIfAbsent(K key, Function<? super K, ? extends @Nullable V> made) {
        V value = young.get(key);
        return value != null ? value : moved(key, made);
    }

    /**
     * An entry moves under the lock of its new place: nobody makes another one while it is in neither generation. A value
     * that was made in a generation that is the older one by now moves once more.
     */
    private V moved(K key, Function<? super K, ? extends @Nullable V> made) {
        Map<K, V> last = old;
        makeRoom();
        while (true) {
            Map<K, V> older = old;
            Map<K, V> target = young;
            if (older != old || older == target) {
                continue;
            }
            V value = target.computeIfAbsent(key, absent -> {
                V found = last.remove(absent);
                found = found == null && older != last ? older.remove(absent) : found;
                return found == null ? made.apply(absent) : found;
            });
            if (target == young) {
                return value;
            }
        }
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
            // the older generation first: an entry that is moved meanwhile is found in the younger one
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
