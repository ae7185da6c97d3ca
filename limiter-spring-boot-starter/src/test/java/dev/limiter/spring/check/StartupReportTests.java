package dev.limiter.spring.check;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.spring.failure.MessageCode;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.beans.factory.support.StaticListableBeanFactory;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationContext;
import org.springframework.context.event.ContextRefreshedEvent;
import org.springframework.context.support.StaticApplicationContext;

/** Findings are reported once, also if another check fails. */
@ExtendWith(OutputCaptureExtension.class)
class StartupReportTests {

    private final List<Finding> found = new ArrayList<>(List.of(finding("first")));
    private final ApplicationContext context = new StaticApplicationContext();
    private final StartupReport report = report();

    private StartupReport report() {
        StaticListableBeanFactory beans = new StaticListableBeanFactory();
        beans.addBean("failing", (StartupCheck) () -> {
            throw new IllegalStateException("cannot be made");
        });
        beans.addBean("finding", (StartupCheck) () -> found);
        return new StartupReport(context, beans.getBeanProvider(StartupCheck.class));
    }

    @Test
    void failingCheckDoesNotHideOthers(CapturedOutput told) {
        start();
        assertThat(told).contains("  - first [LIM-903]");
    }

    @Test
    void startupIsReportedOnce(CapturedOutput told) {
        start();
        start();
        assertThat(reports(told)).hasSize(1);
    }

    @Test
    void contextOfAChildIsNotTheStart(CapturedOutput told) {
        report.onApplicationEvent(new ContextRefreshedEvent(new StaticApplicationContext()));
        assertThat(reports(told)).isEmpty();
    }

    @Test
    void changeBeforeTheStartIsNotChecked(CapturedOutput told) {
        report.reportChange();
        assertThat(reports(told)).isEmpty();
    }

    @Test
    void changeReportsOnlyNewFindings(CapturedOutput told) {
        start();
        report.reportChange();
        assertThat(reports(told)).hasSize(1);

        found.add(finding("second"));
        report.reportChange();
        assertThat(reports(told)).hasSize(2);
        assertThat(reports(told).get(1)).contains("second").doesNotContain("first");
    }

    @Test
    void findingIsReportedAgainAfterItWasGone(CapturedOutput told) {
        start();
        found.clear();
        report.reportChange();
        found.add(finding("first"));
        report.reportChange();
        assertThat(reports(told)).hasSize(2);
    }

    private void start() {
        report.onApplicationEvent(new ContextRefreshedEvent(context));
    }

    /** The text of each report. */
    private static List<String> reports(CapturedOutput told) {
        return Stream.of(told.getOut().split("Some settings may not do what you intend:"))
                .skip(1)
                .toList();
    }

    private static Finding finding(String text) {
        return new Finding(MessageCode.RULE_WITHOUT_KEY, text);
    }
}
