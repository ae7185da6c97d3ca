package dev.limiter.spring.config.check;

import dev.limiter.spring.aop.RateLimiterAdvisor;
import dev.limiter.spring.config.LimiterConfigurationFailureAnalyzer;
import dev.limiter.spring.config.PropertyOrigins;
import dev.limiter.spring.failure.MessageCode;
import dev.limiter.spring.failure.Problem;
import java.lang.reflect.Modifier;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.AopConfigException;
import org.springframework.aop.support.AopUtils;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.util.ClassUtils;

/** Names the annotation for which Spring would have made a proxy of a class that cannot be extended. */
final class FinalTypeFailureAnalyzer extends AbstractFailureAnalyzer<AopConfigException> {

    /** Spring tells the class in the message only. */
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
                "Calls of its methods are limited by a proxy that extends the class, which " + obstacle(type)
                        + ". Make it a class that can be extended; or annotate an interface that it implements, with"
                        + " spring.aop.proxy-target-class: false; or limit what calls it, by a rule with paths or an"
                        + " annotation there.");
    }

    private static String obstacle(Class<?> type) {
        if (type.isRecord()) {
            return "is a record";
        }
        if (Enum.class.isAssignableFrom(type)) {
            return "is that of an enum";
        }
        return Modifier.isFinal(type.getModifiers()) ? "is final" : "lets none extend it";
    }
}
