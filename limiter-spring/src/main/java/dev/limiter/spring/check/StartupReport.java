package dev.limiter.spring.check;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationListener;
import org.springframework.context.event.ContextRefreshedEvent;

/**
 * Logs what all checks have found as one message, when the application has started and when other rules are configured;
 * nothing if they found nothing else than before. Thread-safe.
 */
public final class StartupReport implements ApplicationListener<ContextRefreshedEvent> {

    private static final Log logger = LogFactory.getLog(StartupReport.class);

    private final ApplicationContext context;
    private final ObjectProvider<StartupCheck> checks;
    private boolean started;
    private Set<String> told = Set.of();

    public StartupReport(ApplicationContext context, ObjectProvider<StartupCheck> checks) {
        this.context = context;
        this.checks = checks;
    }

    @Override
    public void onApplicationEvent(ContextRefreshedEvent event) {
        // Those of child contexts come by here, too.
        if (event.getApplicationContext() == context) {
            reportStart();
        }
    }

    private synchronized void reportStart() {
        if (!started) {
            started = true;
            report();
        }
    }

    /** Reports on the present configuration after a change; before the start there is nothing to check. */
    public synchronized void reportChange() {
        if (started) {
            report();
        }
    }

    private void report() {
        Set<String> findings = checks.orderedStream()
                .flatMap(StartupReport::findings)
                .map(Finding::toString)
                .collect(Collectors.toCollection(LinkedHashSet::new));
        List<String> untold =
                findings.stream().filter(finding -> !told.contains(finding)).toList();
        told = findings;
        if (!untold.isEmpty()) {
            logger.warn("The limits work, but maybe not as they are meant:\n  - " + String.join("\n  - ", untold)
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
