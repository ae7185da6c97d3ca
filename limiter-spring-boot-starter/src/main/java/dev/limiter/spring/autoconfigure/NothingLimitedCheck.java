package dev.limiter.spring.autoconfigure;

import dev.limiter.spring.check.Finding;
import dev.limiter.spring.check.StartupCheck;
import dev.limiter.spring.failure.MessageCode;
import dev.limiter.spring.operate.LiveRules;
import java.util.Arrays;
import java.util.List;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;

/** Finds an application that has Limiter on its class path and limits nothing, neither by rules nor in code. */
final class NothingLimitedCheck implements StartupCheck {

    /** The bean that limits in code. */
    static final String LIMITERS = "limiterRateLimiters";

    private final LiveRules rules;
    private final ConfigurableBeanFactory beans;

    NothingLimitedCheck(LiveRules rules, ConfigurableBeanFactory beans) {
        this.rules = rules;
        this.beans = beans;
    }

    @Override
    public List<Finding> findings() {
        return !rules.all().isEmpty() || usedInCode()
                ? List.of()
                : List.of(new Finding(
                        MessageCode.NOTHING_LIMITED,
                        "Limiter is on the class path and limits nothing: there is no rule with a limit, no"
                                + " limiter.web.default-limit and no @RateLimiter. Add one, or set limiter.enabled:"
                                + " false."));
    }

    /** Whether a bean of the application has the limiters, or they are of the application's own. */
    private boolean usedInCode() {
        return !beans.containsBean(LIMITERS)
                || Arrays.stream(beans.getDependentBeans(LIMITERS)).anyMatch(name -> !name.startsWith("limiter"));
    }
}
