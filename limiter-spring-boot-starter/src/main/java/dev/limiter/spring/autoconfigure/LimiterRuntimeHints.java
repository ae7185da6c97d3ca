package dev.limiter.spring.autoconfigure;

import dev.limiter.spring.annotation.RateLimiter;
import dev.limiter.spring.config.LimiterProperties;
import dev.limiter.spring.context.RequestView;
import dev.limiter.spring.context.ResponseView;
import java.lang.reflect.Field;
import java.security.Principal;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.ExecutableMode;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.ReflectionHints;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.aot.hint.TypeReference;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/** Registers reflection hints for native images that every application needs. Beans add their own. */
final class LimiterRuntimeHints implements RuntimeHintsRegistrar {

    private static final String LETTUCE = "org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory";
    private static final String TOMCAT = "org.apache.catalina.connector.";

    @Override
    public void registerHints(RuntimeHints hints, @Nullable ClassLoader loader) {
        expressions(hints.reflection());
        tomcatPeer(hints.reflection(), loader);
        redis(hints, loader);
        // record components are read as options
        List.of(
                        LimiterProperties.Rule.class,
                        LimiterProperties.DefaultLimit.class,
                        LimiterProperties.NamedLimit.class,
                        LimiterProperties.Tier.class)
                .forEach(type -> hints.reflection().registerType(type, MemberCategory.INVOKE_PUBLIC_METHODS));
        hints.resources().registerPattern("META-INF/resources/limiter/*");
        // for merged meta-annotations
        hints.proxies().registerJdkProxy(RateLimiter.class);
    }

    /** The types that expressions can access. */
    private static void expressions(ReflectionHints hints) {
        List.of(RequestView.class, ResponseView.class, Principal.class, Throwable.class)
                .forEach(type -> hints.registerType(type, MemberCategory.INVOKE_PUBLIC_METHODS));
        List.of(
                        "dev.limiter.spring.web.ServletRequestView",
                        "dev.limiter.spring.web.ServletResponseView",
                        "dev.limiter.spring.resolve.DetachedRequest")
                .forEach(type -> hints.registerType(TypeReference.of(type), MemberCategory.INVOKE_PUBLIC_METHODS));
    }

    /** The scripts, and the private configuration of the connection factory. */
    private static void redis(RuntimeHints hints, @Nullable ClassLoader loader) {
        hints.resources()
                .registerPattern("dev/limiter/redis/script/*.lua")
                .registerPattern("dev/limiter/redis/script/*/*.lua");
        if (ClassUtils.isPresent(LETTUCE, loader)) {
            Field server = ReflectionUtils.findField(ClassUtils.resolveClassName(LETTUCE, loader), "configuration");
            if (server != null) {
                hints.reflection().registerField(server);
            }
        }
    }

    /** The peer address, which Tomcat replaces by the forwarded address. */
    private static void tomcatPeer(ReflectionHints hints, @Nullable ClassLoader loader) {
        if (ClassUtils.isPresent(TOMCAT + "RequestFacade", loader)) {
            Class<?> facade = ClassUtils.resolveClassName(TOMCAT + "RequestFacade", loader);
            Class<?> request = ClassUtils.resolveClassName(TOMCAT + "Request", loader);
            hints.registerField(ReflectionUtils.findField(facade, "request"));
            hints.registerMethod(ReflectionUtils.findMethod(request, "getPeerAddr"), ExecutableMode.INVOKE);
        }
    }
}
