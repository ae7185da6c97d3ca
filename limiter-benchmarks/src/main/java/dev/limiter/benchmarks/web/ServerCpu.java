package dev.limiter.benchmarks.web;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The cost of a request for the server, in CPU time of its process, for each {@link Variant} of {@link
 * HelloApplication}. Each is a process of its own on the loopback address, driven by {@code wrk}. The processes of a
 * launch run at the same time and are driven in turn, so that other work of the machine hits all of them. Several
 * launches, because the JIT does not always come to the same result. Prints medians over all rounds: microseconds per
 * request, and the ratio to the application without a limit in the same round.
 *
 * <p>No limit refuses anything here; an answer that is none of 2xx ends the run.
 */
public final class ServerCpu {

    private final int launches;
    private final int rounds;
    private final int seconds;
    private final List<Variant> variants;
    private final Map<Variant, List<Double>> micros = new EnumMap<>(Variant.class);
    private final Map<Variant, List<Double>> ratios = new EnumMap<>(Variant.class);

    private ServerCpu(int launches, int rounds, int seconds, List<Variant> variants) {
        this.launches = launches;
        this.rounds = rounds;
        this.seconds = seconds;
        this.variants = variants;
    }

    /**
     * @param args how many launches (default 3), rounds in each (12) and seconds for each variant in a round (2); then
     *     the profiles of the variants to compare with none (all)
     */
    public static void main(String[] args) throws Exception {
        List<Variant> variants = new ArrayList<>(List.of(Variant.NONE));
        Arrays.stream(args).skip(3).map(Variant::of).forEach(variants::add);
        new ServerCpu(
                        number(args, 0, 3),
                        number(args, 1, 12),
                        number(args, 2, 2),
                        variants.size() == 1 ? List.of(Variant.values()) : variants)
                .run();
    }

    private static int number(String[] args, int index, int fallback) {
        return args.length > index ? Integer.parseInt(args[index]) : fallback;
    }

    private void run() throws IOException, InterruptedException {
        for (int i = 0; i < launches; i++) {
            launch();
            System.err.printf("launch %d of %d%n", i + 1, launches);
        }
        System.out.printf(
                "%-20s %12s %12s   %s%n", "", "us/request", "ratio", "ratios of the middle half of the rounds");
        for (Variant variant : variants) {
            List<Double> sorted = ratios.get(variant).stream().sorted().toList();
            System.out.printf(
                    Locale.ROOT,
                    "%-20s %12.2f %12.3f   %.3f to %.3f%n",
                    variant.profile(),
                    quantile(micros.get(variant).stream().sorted().toList(), 0.5),
                    quantile(sorted, 0.5),
                    quantile(sorted, 0.25),
                    quantile(sorted, 0.75));
        }
    }

    private void launch() throws IOException, InterruptedException {
        Map<Variant, ServerProcess> servers = new EnumMap<>(Variant.class);
        try {
            for (Variant variant : variants) {
                servers.put(variant, ServerProcess.start(variant));
            }
            // twice: what the first has compiled is thrown away and compiled anew when something unexpected comes
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

    /** Each time in another order. */
    private void round(Map<Variant, ServerProcess> servers, int number) throws IOException, InterruptedException {
        Map<Variant, Double> round = new EnumMap<>(Variant.class);
        for (int i = 0; i < variants.size(); i++) {
            Variant variant = variants.get((i + number) % variants.size());
            round.put(variant, servers.get(variant).microsPerRequest(seconds));
        }
        round.forEach((variant, each) -> {
            micros.computeIfAbsent(variant, unknown -> new ArrayList<>()).add(each);
            ratios.computeIfAbsent(variant, unknown -> new ArrayList<>()).add(each / round.get(Variant.NONE));
        });
    }

    /** Of sorted values, at least one. */
    private static double quantile(List<Double> sorted, double quantile) {
        double position = quantile * (sorted.size() - 1);
        double below = sorted.get((int) position);
        double above = sorted.get((int) Math.ceil(position));
        return below + (above - below) * (position - (int) position);
    }
}
