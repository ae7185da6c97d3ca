package dev.limiter.spring.autoconfigure;

import dev.limiter.spring.check.Finding;
import dev.limiter.spring.check.StartupCheck;
import dev.limiter.spring.failure.MessageCode;
import dev.limiter.spring.operate.LiveRules;
import java.util.Arrays;
import java.util.List;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;

/** Reports an application that has Limiter on its class path but uses no limits. */
final class NothingLimitedCheck implements StartupCheck {

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
                        "Limiter is on the class path but limits nothing: there is no rule with a limit, no"
                                + " limiter.web.default-limit and no @RateLimiter. Add one, or set limiter.enabled:"
                                + " false."));
    }

    /** Returns whether the application injects the limiters or defines its own. */
    private boolean usedInCode() {
        return !beans.containsBean(LIMITERS)
                || Arrays.stream(beans.getDependentBeans(LIMITERS)).anyMatch(name -> !name.startsWith("limiter"));
    }
}
