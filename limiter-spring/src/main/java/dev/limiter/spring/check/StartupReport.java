package dev.limiter.spring.check;

import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationListener;
import org.springframework.context.event.ContextRefreshedEvent;

/** Logs what all checks have found as one message, when the application has started; nothing if they found nothing. */
public final class StartupReport implements ApplicationListener<ContextRefreshedEvent> {

    private static final Log logger = LogFactory.getLog(StartupReport.class);

    private final ApplicationContext context;
    private final ObjectProvider<StartupCheck> checks;
    private final AtomicBoolean reported = new AtomicBoolean();

    public StartupReport(ApplicationContext context, ObjectProvider<StartupCheck> checks) {
        this.context = context;
        this.checks = checks;
    }

    @Override
    public void onApplicationEvent(ContextRefreshedEvent event) {
        // Those of child contexts come by here, too.
        if (event.getApplicationContext() == context && !reported.getAndSet(true)) {
            report();
        }
    }

    private void report() {
        List<String> findings = checks.orderedStream()
                .flatMap(StartupReport::findings)
                .map(Finding::toString)
                .distinct()
                .toList();
        if (!findings.isEmpty()) {
            logger.warn("The limits work, but maybe not as they are meant:\n  - " + String.join("\n  - ", findings)
                    + "\ndocs/reference/messages.md says more about each code.");
        }
    }

    /** A check that fails is no reason not to start. */
    private static Stream<Finding> findings(StartupCheck check) {
        try {
            return check.findings().stream();
        } catch (RuntimeException failure) {
            logger.debug(check + " could not be made", failure);
            return Stream.empty();
        }
    }
}
