package dev.limiter.benchmarks.web;

import dev.limiter.benchmarks.harness.Measurement;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * Measures the CPU time of the server for one request, for each {@link Variant} of {@link HelloApplication}. Each
 * variant is a process on the loopback address.
 *
 * <p>The processes of a launch run at the same time, and {@code wrk} calls them in turn, so other work on the
 * machine affects all of them. There are several launches, because the JIT compiler does not always produce the
 * same code. Prints microseconds per request for each round, and the ratio to the application without a limit; for
 * {@code Tables server-cpu}.
 *
 * <p>No limit rejects anything here; a response other than 2xx ends the run.
 */
public final class ServerCpu {

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
     * variant and round, then the profiles to compare with none (default: all)
     */
    public static void main(String[] args) throws Exception {
        List<Variant> variants = new ArrayList<>(List.of(Variant.NONE));
        Arrays.stream(args).skip(4).map(Variant::of).forEach(variants::add);
        new ServerCpu(
                        args[1],
                        Integer.parseInt(args[2]),
                        Integer.parseInt(args[0]),
                        Integer.parseInt(args[3]),
                        variants.size() == 1 ? List.of(Variant.values()) : variants)
                .run();
    }

    private void run() throws IOException, InterruptedException {
        for (int i = 0; i < launches; i++) {
            launch();
            System.err.printf("launch %d of %d%n", i + 1, launches);
        }
    }

    private void launch() throws IOException, InterruptedException {
        Map<Variant, ServerProcess> servers = new EnumMap<>(Variant.class);
        try {
            for (Variant variant : variants) {
                servers.put(variant, ServerProcess.start(variant));
            }
            // twice, because unexpected input makes the JIT compiler discard the first code
            for (int i = 0; i < 2; i++) {
                for (ServerProcess server : servers.values()) {
                    server.microsPerRequest(2 * seconds);
                }
            }
            for (int i = 0; i < rounds; i++) {
                round(servers, i);
            }
        } finally {
            servers.values().forEach(ServerProcess::close);
        }
    }

    /** Returns the variants in another order each time. */
    private void round(Map<Variant, ServerProcess> servers, int number) throws IOException, InterruptedException {
        Map<Variant, Double> round = new EnumMap<>(Variant.class);
        for (int i = 0; i < variants.size(); i++) {
            Variant variant = variants.get((i + number) % variants.size());
            round.put(variant, servers.get(variant).microsPerRequest(seconds));
        }
        for (Variant variant : variants) {
            double each = round.get(variant);
            new Measurement(table, variant.label(), "us per request", each).print();
            new Measurement(table, variant.label(), "ratio", each / round.get(Variant.NONE)).print();
        }
    }
}
