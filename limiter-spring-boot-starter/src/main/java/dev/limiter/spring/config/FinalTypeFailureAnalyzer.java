package dev.limiter.spring.config;

import dev.limiter.spring.aop.RateLimiterAdvisor;
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

    /** Interfaces by which callers hardly know a bean. */
    private static final Pattern OF_NO_CALLER = Pattern.compile("(java\\.(lang|io)|org\\.springframework)\\..*");

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
                        + ". Make it a class that can be extended; or " + byInterface(type)
                        + "; or limit what calls it, by a rule with paths or an"
                        + " annotation there.");
    }

    private static String byInterface(Class<?> type) {
        List<String> interfaces = ClassUtils.getAllInterfacesForClassAsSet(type).stream()
                .filter(implemented ->
                        !OF_NO_CALLER.matcher(implemented.getName()).matches())
                .map(Class::getName)
                .toList();
        return interfaces.isEmpty()
                ? "have it implement an interface, which its callers then use, with spring.aop.proxy-target-class:"
                        + " false"
                : "set spring.aop.proxy-target-class: false, and have its callers use the interface "
                        + String.join(" or ", interfaces);
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
