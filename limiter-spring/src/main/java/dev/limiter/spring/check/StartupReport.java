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
 * Logs the findings of all checks as one warning after startup, and new findings after each change of the rules.
 * Thread-safe.
 */
public final class StartupReport implements ApplicationListener<ContextRefreshedEvent> {

    private static final Log logger = LogFactory.getLog(StartupReport.class);

    private final ApplicationContext context;
    private final ObjectProvider<StartupCheck> checks;
    private boolean started;
    private Set<String> reported = Set.of();

    public StartupReport(ApplicationContext context, ObjectProvider<StartupCheck> checks) {
        this.context = context;
        this.checks = checks;
    }

    @Override
    public void onApplicationEvent(ContextRefreshedEvent event) {
        // Child contexts publish their events here as well.
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

    /** Reports new findings after a change of the rules. Does nothing before the application has started. */
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
        List<String> newFindings =
                findings.stream().filter(finding -> !reported.contains(finding)).toList();
        reported = findings;
        if (!newFindings.isEmpty()) {
            logger.warn("Some settings may not do what you intend:\n  - " + String.join("\n  - ", newFindings)
                    + "\nSearch the manual for a code in brackets.");
        }
    }

    /** Returns the findings of a check; none if it fails, so that the application still starts. */
    private static Stream<Finding> findings(StartupCheck check) {
        try {
            return check.findings().stream();
        } catch (RuntimeException failure) {
            logger.debug(check + " failed", failure);
            return Stream.empty();
        }
    }
}
