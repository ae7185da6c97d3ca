package dev.limiter.dashboard;

import dev.limiter.sample.SampleApplication;
import dev.limiter.testkit.Clients;
import java.util.ArrayList;
import java.util.List;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

/** Starts the sample application with the page. */
final class Dashboards implements AutoCloseable {

    private final ConfigurableApplicationContext context;
    private final Clients clients;

    private Dashboards(ConfigurableApplicationContext context) {
        this.context = context;
        this.clients = new Clients(context.getEnvironment().getRequiredProperty("local.server.port", Integer.class));
    }

    /** {@code port}: 0 for a free one. */
    static Dashboards start(int port, Class<?> more, String... options) {
        List<String> arguments = new ArrayList<>(List.of(options));
        arguments.add("--server.port=" + port);
        arguments.add("--management.endpoint.limiter.access=unrestricted");
        return new Dashboards(
                new SpringApplicationBuilder(SampleApplication.class, more).run(arguments.toArray(String[]::new)));
    }

    Clients clients() {
        return clients;
    }

    String page() {
        return "http://127.0.0.1:" + clients.port() + "/limiter/";
    }

    @Override
    public void close() {
        context.close();
    }
}
