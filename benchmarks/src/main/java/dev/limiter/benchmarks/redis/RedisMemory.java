package dev.limiter.benchmarks.redis;

import dev.limiter.benchmarks.harness.Measurement;
import io.lettuce.core.KeyScanCursor;
import io.lettuce.core.ScanArgs;
import io.lettuce.core.ScanCursor;
import io.lettuce.core.api.sync.RedisCommands;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Measures the bytes in Redis ({@code MEMORY USAGE}) for a client with a limit of 100 per hour, after one permit
 * and after all of them. The client is named like {@code client-17}, the rule {@code orders}. For {@code Tables
 * redis-memory}.
 */
public final class RedisMemory {

    private static final int LIMIT = 100;
    private static final int CLIENTS = 100;
    private static final Pattern CLIENT = Pattern.compile("client-(\\d+)");

    private RedisMemory() {}

    public static void main(String[] arguments) throws Exception {
        try (LocalRedis server = LocalRedis.start();
                Contenders contenders = new Contenders(server)) {
            Contenders.Terms terms = new Contenders.Terms("orders", LIMIT, Duration.ofHours(1));
            List<Supplier<Contender>> all = new ArrayList<>(contenders.ours(terms));
            all.add(() -> contenders.held(terms));
            all.addAll(contenders.peers(terms));
            for (Supplier<Contender> next : all) {
                server.commands().flushall();
                print(next.get(), server.commands());
            }
        }
        System.exit(0);
    }

    private static void print(Contender contender, RedisCommands<byte[], byte[]> commands) throws Exception {
        take(contender, 1);
        Usage one = usage(commands);
        take(contender, LIMIT - 1);
        Usage all = usage(commands);
        String name = contender.name() + (all.withoutExpiry > 0 ? " (never expires)" : "");
        new Measurement("redis-memory", name, "1 permit used", Math.rint(one.bytes)).print();
        new Measurement("redis-memory", name, "100 used", Math.rint(all.bytes)).print();
    }

    private static void take(Contender contender, int permits) throws Exception {
        for (int i = 0; i < permits; i++) {
            for (int key = 0; key < CLIENTS; key++) {
                contender.decider().decide(key);
            }
        }
    }

    /** Returns whether a key belongs to a client that has sent no requests. */
    private static boolean isOfAnother(String key) {
        Matcher number = CLIENT.matcher(key);
        return number.find() && Integer.parseInt(number.group(1)) >= CLIENTS;
    }

    /** The bytes of one client. */
    private record Usage(double bytes, double withoutExpiry) {}

    private static Usage usage(RedisCommands<byte[], byte[]> commands) {
        List<byte[]> keys = new ArrayList<>();
        ScanCursor cursor = ScanCursor.INITIAL;
        while (!cursor.isFinished()) {
            KeyScanCursor<byte[]> found = commands.scan(cursor, ScanArgs.Builder.limit(1_000));
            keys.addAll(found.getKeys());
            cursor = found;
        }
        long bytes = 0;
        long withoutExpiry = 0;
        keys.removeIf(key -> isOfAnother(new String(key, StandardCharsets.UTF_8)));
        for (byte[] key : keys) {
            bytes += commands.memoryUsage(key);
            withoutExpiry += commands.pttl(key) < 0 ? 1 : 0;
        }
        return new Usage((double) bytes / CLIENTS, (double) withoutExpiry / CLIENTS);
    }
}
