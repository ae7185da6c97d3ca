package dev.limiter.spring.autoconfigure;

import dev.limiter.spring.compiled.RateLimitRule;
import dev.limiter.spring.compiled.Rules;
import dev.limiter.spring.config.LimiterSettings;
import dev.limiter.spring.decide.MethodLimits;
import dev.limiter.spring.failure.LimiterConfigurationException;
import dev.limiter.spring.failure.MessageCode;
import dev.limiter.spring.failure.Problem;
import dev.limiter.spring.rule.Mode;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.springframework.beans.factory.SmartInitializingSingleton;

/** The limits of an application whose requests cannot be limited yet. */
final class UnsupportedWebFluxCheck implements SmartInitializingSingleton {

    private final Rules rules;
    private final MethodLimits methods;
    private final LimiterSettings settings;

    UnsupportedWebFluxCheck(Rules rules, MethodLimits methods, LimiterSettings settings) {
        this.rules = rules;
        this.methods = methods;
        this.settings = settings;
    }

    /**
     * Comes after the scan for annotated methods, whose bean is registered before this one.
     *
     * @throws LimiterConfigurationException if there are any
     */
    @Override
    public void afterSingletonsInstantiated() {
        if (!settings.web().enabled() || settings.mode() == Mode.OFF) {
            return;
        }
        String limits = Stream.concat(ofPaths(), methods.found().stream().map(method -> "@RateLimiter on " + method))
                .collect(Collectors.joining(", "));
        if (!limits.isEmpty()) {
            throw new LimiterConfigurationException(new Problem(
                    MessageCode.WEBFLUX,
                    "limiter.web",
                    null,
                    "Requests to a WebFlux application are not limited yet, and nothing would hold to " + limits
                            + ". Set limiter.web.enabled=false to limit only calls of annotated methods and calls of"
                            + " RateLimiters, or limiter.enabled=false to limit nothing"));
        }
    }

    private Stream<String> ofPaths() {
        Stream<String> automatic = rules.current().defaultLimit().map(limit -> "limiter.web.default-limit").stream();
        return Stream.concat(
                automatic,
                rules.current().pathRules().stream().map(RateLimitRule::name).map(name -> "the rule \"" + name + "\""));
    }
}
