package dev.limiter.spring.resolve;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A bounded map that evicts the least recently used key. Thread-safe; large maps are striped to reduce contention. */
final class LruCache<V> {

    private static final int STRIPES = 16;
    private static final int LARGE = 10_000;

    private final List<Map<String, V>> stripes;

    LruCache(long maximum) {
        // Hashes are not perfectly even, so stripes are an eighth larger than their share.
        long each = maximum < LARGE ? maximum : maximum / STRIPES * 9 / 8;
        stripes = Stream.<Map<String, V>>generate(() -> new Stripe<>(each))
                .limit(maximum < LARGE ? 1 : STRIPES)
                .toList();
    }

    @Nullable
    V get(String key) {
        Map<String, V> stripe = stripe(key);
        synchronized (stripe) {
            return stripe.get(key);
        }
    }

    void put(String key, V value) {
        Map<String, V> stripe = stripe(key);
        synchronized (stripe) {
            stripe.put(key, value);
        }
    }

    private Map<String, V> stripe(String key) {
        int hash = key.hashCode();
        return stripes.get(Math.floorMod(hash ^ hash >>> 16, stripes.size()));
    }

    private static final class Stripe<V> extends LinkedHashMap<String, V> {

        private static final long serialVersionUID = 1L;

        private final long maximum;

        Stripe(long maximum) {
            super(16, 0.75f, true);
            this.maximum = maximum;
        }

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, V> eldest) {
            return size() > maximum;
        }
    }
}
