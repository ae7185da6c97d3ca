package dev.limiter.dashboard;

import dev.limiter.sample.SampleApplication;
import dev.limiter.spring.operate.series.DecisionSeries;
import dev.limiter.testkit.Clients;
import java.util.ArrayList;
import java.util.List;
import org.springframework.boot.actuate.audit.AuditEventRepository;
import org.springframework.boot.actuate.audit.InMemoryAuditEventRepository;
import org.springframework.boot.actuate.audit.listener.AuditListener;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The sample application with the page. */
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
        arguments.add("--server.address=127.0.0.1");
        arguments.add("--limiter.dashboard.enabled=true");
        arguments.add("--management.endpoint.limiter.access=unrestricted");
        // it needs Spring Security
        arguments.add("--spring.autoconfigure.exclude="
                + "org.springframework.boot.actuate.autoconfigure.audit.AuditAutoConfiguration");
        arguments.add("--management.endpoints.web.exposure.include=limiter,auditevents");
        return new Dashboards(new SpringApplicationBuilder(SampleApplication.class, Audit.class, more)
                .run(arguments.toArray(String[]::new)));
    }

    Clients clients() {
        return clients;
    }

    /** Has one more second be over. */
    void sample() {
        context.getBean(DecisionSeries.class).sample();
    }

    String page() {
        return "http://127.0.0.1:" + clients.port() + "/limiter/";
    }

    @Override
    public void close() {
        context.close();
    }

    @Configuration(proxyBeanMethods = false)
    static class Audit {

        @Bean
        InMemoryAuditEventRepository auditEvents() {
            return new InMemoryAuditEventRepository();
        }

        @Bean
        AuditListener auditListener(AuditEventRepository events) {
            return new AuditListener(events);
        }
    }
}
