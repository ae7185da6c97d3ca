package dev.limiter.spring.config;

import dev.limiter.spring.aop.RateLimiterAdvisor;
import dev.limiter.spring.failure.MessageCode;
import dev.limiter.spring.failure.Problem;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.AopConfigException;
import org.springframework.aop.support.AopUtils;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.util.ClassUtils;

/** Names the annotated class that Spring cannot extend for a proxy. */
final class FinalTypeFailureAnalyzer extends AbstractFailureAnalyzer<AopConfigException> {

    /** Only the message of the exception contains the class. */
    private static final Pattern TYPE = Pattern.compile(" of class ([\\w.$]+)");

    @Override
    protected @Nullable FailureAnalysis analyze(Throwable rootFailure, AopConfigException cause) {
        Class<?> type = type(String.valueOf(cause.getMessage()));
        return type == null || !AopUtils.canApply(new RateLimiterAdvisor().getPointcut(), type)
                ? null
                : LimiterConfigurationFailureAnalyzer.analysis(
                        List.of(problem(type)), new PropertyOrigins(null), cause);
    }

    private static @Nullable Class<?> type(String message) {
        Matcher type = TYPE.matcher(message);
        try {
            return type.find() ? ClassUtils.forName(type.group(1), null) : null;
        } catch (ClassNotFoundException | LinkageError unknown) {
            return null;
        }
    }

    private static Problem problem(Class<?> type) {
        return new Problem(
                MessageCode.FINAL_TYPE,
                "@RateLimiter on " + type.getName() + " or its methods",
                null,
                "Calls of its methods are limited by a proxy that extends the class, which cannot be extended. Make it"
                        + " a class that can be extended; or set spring.aop.proxy-target-class: false, if its callers"
                        + " use an interface that it implements; or limit its callers, by a rule with paths or an"
                        + " annotation there.");
    }
}
