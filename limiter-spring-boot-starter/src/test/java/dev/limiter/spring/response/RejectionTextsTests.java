package dev.limiter.spring.response;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.Decision;
import dev.limiter.Limit;
import dev.limiter.RateLimiters;
import dev.limiter.Rule;
import dev.limiter.spring.response.ProblemBody.Problem;
import dev.limiter.test.VirtualTimeSource;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.support.DelegatingMessageSource;
import org.springframework.context.support.StaticMessageSource;

/** Texts of rejections can be translated, and a broken translation is left out. */
@ExtendWith(OutputCaptureExtension.class)
class RejectionTextsTests {

    private static final List<String> VIOLATED = List.of("orders-burst", "orders-daily");

    private final RateLimiters limiters =
            RateLimiters.builder().timeSource(new VirtualTimeSource()).build();
    private final StaticMessageSource messages = new StaticMessageSource();
    private final RejectionTexts texts = new RejectionTexts(messages);

    @Test
    void nothingChangesWithoutMessages() {
        assertThat(texts.title(Problem.QUOTA_EXCEEDED, Locale.GERMAN))
                .isEqualTo("Request cannot be satisfied as assigned quota has been exceeded");
        assertThat(texts.title(Problem.REDUCED_CAPACITY, Locale.GERMAN))
                .isEqualTo("Request cannot be satisfied due to temporary server capacity constraints");
        assertThat(detail(rejection(1), OptionalLong.of(12)))
                .isEqualTo("The limit orders-burst, orders-daily is used up; retry after 12 s.");
        assertThat(detail(rejection(1), OptionalLong.empty()))
                .isEqualTo("The limit orders-burst, orders-daily is used up.");
        assertThat(detail(rejection(9), OptionalLong.empty()))
                .isEqualTo("The request costs more than the limit orders-burst, orders-daily can ever grant.");
    }

    @Test
    void messagesAreInTheLanguageOfTheRequest() {
        messages.addMessage("limiter.rejected.title", Locale.GERMAN, "Zu viele Anfragen");
        messages.addMessage("limiter.rejected.detail", Locale.GERMAN, "{0} erschöpft, in {1} s wieder");

        assertThat(texts.title(Problem.QUOTA_EXCEEDED, Locale.GERMAN)).isEqualTo("Zu viele Anfragen");
        assertThat(detail(rejection(1), OptionalLong.of(3600)))
                .isEqualTo("orders-burst, orders-daily erschöpft, in 3.600 s wieder");
        assertThat(texts.title(Problem.QUOTA_EXCEEDED, Locale.FRENCH)).startsWith("Request cannot");
        assertThat(texts.title(Problem.REDUCED_CAPACITY, Locale.GERMAN)).startsWith("Request cannot");
    }

    @Test
    void unknownRetryTimeHasItsOwnText() {
        messages.addMessage("limiter.rejected.detail", Locale.GERMAN, "in {1} s");
        messages.addMessage("limiter.rejected.detail.full", Locale.GERMAN, "{0} voll");
        messages.addMessage("limiter.rejected.detail.never", Locale.GERMAN, "{0} nie");
        messages.addMessage("limiter.overloaded.detail.full", Locale.GERMAN, "{0} überlastet");

        assertThat(detail(rejection(1), OptionalLong.empty())).isEqualTo("orders-burst, orders-daily voll");
        assertThat(detail(rejection(9), OptionalLong.empty())).isEqualTo("orders-burst, orders-daily nie");
        assertThat(texts.detail(Problem.REDUCED_CAPACITY, rejection(1), VIOLATED, OptionalLong.empty(), Locale.GERMAN))
                .isEqualTo("orders-burst, orders-daily überlastet");
    }

    /** The context of an application without messages.properties. */
    @Test
    void namesOfLimitsAreNoPatternsForASourceWithoutMessages() {
        RejectionTexts ours = new RejectionTexts(new DelegatingMessageSource());

        assertThat(ours.detail(
                        Problem.QUOTA_EXCEEDED,
                        rejection(1),
                        List.of("GET /it's/{id}"),
                        OptionalLong.of(1200),
                        Locale.GERMAN))
                .isEqualTo("The limit GET /it's/{id} is used up; retry after 1200 s.");
    }

    @Test
    void brokenMessageIsReportedOnceAndLeftOut(CapturedOutput output) {
        messages.addMessage("limiter.rejected.detail", Locale.GERMAN, "{zero} is no argument");

        for (int i = 0; i < 2; i++) {
            assertThat(detail(rejection(1), OptionalLong.of(1))).contains("retry after 1 s.");
        }
        assertThat(output.toString().split("limiter.rejected.detail is not a valid pattern", -1))
                .hasSize(2);
    }

    private String detail(Decision decision, OptionalLong retryAfter) {
        return texts.detail(Problem.QUOTA_EXCEEDED, decision, VIOLATED, retryAfter, Locale.GERMAN);
    }

    /** One permit is rejected temporarily, more permanently. */
    private Decision rejection(long permits) {
        Rule rule = Rule.of("orders", Limit.fixedWindow(1, Duration.ofSeconds(1)));
        limiters.tryAcquire(rule, "");
        return limiters.tryAcquire(rule, "", permits);
    }
}
