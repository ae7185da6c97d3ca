package dev.limiter.benchmarks.web;

import dev.limiter.benchmarks.harness.Measurement;
import dev.limiter.benchmarks.redis.LocalRedis;
import dev.limiter.benchmarks.web.ServerProcess.Load;
import java.io.IOException;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Measures the CPU time of the server for one request, for each {@link Variant} of {@link HelloApplication}. Each
 * variant is a process on the loopback address.
 *
 * <p>The processes of a launch run at the same time, and {@code wrk} calls them in turn, so other work on the
 * machine affects all of them. There are several launches, because the JIT compiler does not always produce the
 * same code. Prints microseconds per request and requests per second for each round, and their ratios to the first
 * variant; for {@code Tables server-cpu}.
 *
 * <p>No limit rejects anything here; a response other than 2xx ends the run.
 */
public final class ServerCpu {

    /** A shorter one measures the JIT compiler. */
    private static final int WARM_UP_SECONDS = 12;

    private final String table;
    private final int launches;
    private final int rounds;
    private final int seconds;
    private final List<Variant> variants;

    private ServerCpu(String table, int launches, int rounds, int seconds, List<Variant> variants) {
        this.table = table;
        this.launches = launches;
        this.rounds = rounds;
        this.seconds = seconds;
        this.variants = variants;
    }

    /**
     * @param args the number of rounds per launch, the name of the table, the number of launches, the seconds per
     * variant and round, then the profiles of the variants
     */
    public static void main(String[] args) throws Exception {
        new ServerCpu(
                        args[1],
                        Integer.parseInt(args[2]),
                        Integer.parseInt(args[0]),
                        Integer.parseInt(args[3]),
                        Arrays.stream(args).skip(4).map(Variant::of).toList())
                .run();
    }

    private void run() throws IOException, InterruptedException {
        for (int i = 0; i < launches; i++) {
            launch();
            System.err.printf("launch %d of %d%n", i + 1, launches);
        }
    }

    private void launch() throws IOException, InterruptedException {
        if (variants.stream().noneMatch(Variant::needsRedis)) {
            launch(null);
        } else {
            try (LocalRedis redis = LocalRedis.start()) {
                launch(redis);
            }
        }
    }

    private void launch(@Nullable LocalRedis redis) throws IOException, InterruptedException {
        Map<Variant, ServerProcess> servers = new EnumMap<>(Variant.class);
        String[] properties = redis == null ? new String[0] : new String[] {"--spring.data.redis.port=" + redis.port()};
        try {
            for (Variant variant : variants) {
                servers.put(variant, ServerProcess.start(variant, properties));
            }
            for (ServerProcess server : servers.values()) {
                server.load(WARM_UP_SECONDS);
            }
            for (int i = 0; i < rounds; i++) {
                round(servers, redis, i);
            }
        } finally {
            servers.values().forEach(ServerProcess::close);
        }
    }

    /** Calls the variants in another order each time. */
    private void round(Map<Variant, ServerProcess> servers, @Nullable LocalRedis redis, int number)
            throws IOException, InterruptedException {
        Map<Variant, Load> round = new EnumMap<>(Variant.class);
        for (int i = 0; i < variants.size(); i++) {
            Variant variant = variants.get((i + number) % variants.size());
            double before = redis == null ? 0 : redis.cpuMicros();
            Load load = servers.get(variant).load(seconds);
            round.put(variant, load);
            if (redis != null) {
                print(variant, "us of Redis per request", (redis.cpuMicros() - before) / load.perSecond() / seconds);
            }
        }
        Load first = round.get(variants.get(0));
        round.forEach((variant, load) -> {
            print(variant, "us per request", load.micros());
            print(variant, "ratio", load.micros() / first.micros());
            print(variant, "per second", load.perSecond());
            print(variant, "ratio per second", load.perSecond() / first.perSecond());
        });
    }

    private void print(Variant variant, String column, double value) {
        new Measurement(table, variant.label(), column, value).print();
    }
}
