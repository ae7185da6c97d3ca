package dev.limiter.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.spring.annotation.RateLimiter;
import dev.limiter.spring.context.RequestView;
import java.lang.reflect.Method;
import org.apache.catalina.connector.Request;
import org.apache.catalina.connector.RequestFacade;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.aot.hint.TypeReference;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.core.io.support.SpringFactoriesLoader;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.util.ClassUtils;

/** Expressions, annotations and scripts work in native images. */
class LimiterRuntimeHintsTests {

    private final RuntimeHints hints = new RuntimeHints();

    @BeforeEach
    void register() {
        SpringFactoriesLoader.forResourceLocation("META-INF/spring/aot.factories")
                .load(RuntimeHintsRegistrar.class)
                .stream()
                .filter(LimiterRuntimeHints.class::isInstance)
                .forEach(registrar -> registrar.registerHints(hints, getClass().getClassLoader()));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "dev.limiter.spring.context.RequestView",
                "dev.limiter.spring.web.ServletRequestView",
                "dev.limiter.spring.resolve.DetachedRequest",
                "dev.limiter.spring.context.ResponseView",
                "dev.limiter.spring.web.ServletResponseView",
                "java.security.Principal",
                "java.lang.Throwable"
            })
    void expressionsCanCallVisibleMembers(String type) {
        assertThat(ClassUtils.isPresent(type, null)).isTrue();
        assertThat(RuntimeHintsPredicates.reflection()
                        .onType(TypeReference.of(type))
                        .withMemberCategory(MemberCategory.INVOKE_PUBLIC_METHODS))
                .accepts(hints);
    }

    @Test
    void everyMethodOfARequestCanBeCalled() {
        for (Method method : RequestView.class.getMethods()) {
            assertThat(RuntimeHintsPredicates.reflection().onMethod(method).invoke())
                    .accepts(hints);
        }
    }

    @Test
    void annotationsCanBeMerged() {
        assertThat(RuntimeHintsPredicates.proxies().forInterfaces(RateLimiter.class))
                .accepts(hints);
    }

    @Test
    void peerOfTomcatCanBeRead() throws Exception {
        assertThat(RuntimeHintsPredicates.reflection().onField(RequestFacade.class, "request"))
                .accepts(hints);
        assertThat(RuntimeHintsPredicates.reflection()
                        .onMethod(Request.class.getMethod("getPeerAddr"))
                        .invoke())
                .accepts(hints);
    }

    @ParameterizedTest
    @ValueSource(strings = {"decide.lua", "algorithm/bucket.lua", "probe.lua"})
    void scriptsCanBeRead(String script) {
        assertThat(RuntimeHintsPredicates.resource().forResource("dev/limiter/redis/script/" + script))
                .accepts(hints);
    }

    @Test
    void serverOfTheApplicationCanBeRead() {
        assertThat(RuntimeHintsPredicates.reflection().onField(LettuceConnectionFactory.class, "configuration"))
                .accepts(hints);
    }

    @Test
    void needsNoTomcat() {
        RuntimeHints without = new RuntimeHints();
        new LimiterRuntimeHints().registerHints(without, new FilteredClassLoader("org.apache.catalina"));

        assertThat(RuntimeHintsPredicates.reflection().onType(RequestView.class))
                .accepts(without);
        assertThat(RuntimeHintsPredicates.reflection().onType(RequestFacade.class))
                .rejects(without);
    }
}
