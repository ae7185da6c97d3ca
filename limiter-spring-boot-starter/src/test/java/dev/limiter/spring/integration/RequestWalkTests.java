package dev.limiter.spring.integration;

import static net.bytebuddy.matcher.ElementMatchers.isAbstract;
import static net.bytebuddy.matcher.ElementMatchers.isTypeInitializer;
import static net.bytebuddy.matcher.ElementMatchers.none;
import static net.bytebuddy.matcher.ElementMatchers.not;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import net.bytebuddy.agent.ByteBuddyAgent;
import net.bytebuddy.agent.builder.AgentBuilder;
import net.bytebuddy.agent.builder.AgentBuilder.RedefinitionStrategy;
import net.bytebuddy.agent.builder.ResettableClassFileTransformer;
import net.bytebuddy.asm.Advice;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.test.context.TestPropertySource;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** How many calls a request takes through Limiter, and through which packages it goes. */
@TestPropertySource(
        properties = {
            "limiter.rules.few.paths=/few",
            "limiter.rules.few.key=ip",
            "limiter.rules.few.limit=1",
            "limiter.rules.few.window=100d",
            "limiter.rules.many.paths=/many",
            "limiter.rules.many.key=ip",
            "limiter.rules.many.limit=1000",
            "limiter.rules.many.window=100d"
        })
class RequestWalkTests extends WebTestSupport {

    private static ResettableClassFileTransformer transformer;

    /** Writes each call of a method down that is not abstract. */
    static final class Recorded {

        @Advice.OnMethodEnter
        static void enter(@Advice.Origin("#t") String type, @Advice.Origin("#m") String method) {
            Walk.enter(type, method);
        }
    }

    @BeforeAll
    static void instrument() {
        transformer = new AgentBuilder.Default()
                .disableClassFormatChanges()
                .with(RedefinitionStrategy.RETRANSFORMATION)
                .ignore(none())
                .type((type, loader, module, redefined, domain) -> type.getName()
                                .matches("dev\\.limiter\\.(?!test).*")
                        && domain != null
                        && domain.getCodeSource() != null
                        && !domain.getCodeSource().getLocation().getPath().contains("test-classes"))
                .transform((builder, type, loader, module, domain) -> builder.visit(
                        Advice.to(Recorded.class).on(not(isAbstract()).and(not(isTypeInitializer())))))
                .installOn(ByteBuddyAgent.install());
    }

    @AfterAll
    static void restore() {
        transformer.reset(ByteBuddyAgent.install(), RedefinitionStrategy.RETRANSFORMATION);
    }

    @ParameterizedTest
    @CsvSource({"/many, 200, 400", "/few, 429, 500"})
    void goesThroughThePackagesOfTheArchitecturePageInFewCalls(String path, int status, int most) throws Exception {
        for (int i = 0; i < 20; i++) {
            get(path);
        }
        Walk.begin();
        assertThat(get(path).statusCode()).isEqualTo(status);
        List<String> calls = Walk.end();

        assertThat(calls).as(() -> String.join("\n", calls)).hasSizeBetween(most / 2, most);
        String page = Files.readString(Path.of("../docs/explanation/architecture.md"));
        String walk = page.substring(page.indexOf("## The walk of a request"), page.indexOf("## Memory"));
        assertThat(calls.stream()
                        .map(call ->
                                call.replaceFirst("\\.[A-Z].*", "").replaceFirst("dev\\.limiter\\.?(spring\\.)?", ""))
                        .map(room -> room.isEmpty() ? "dev.limiter" : room)
                        .distinct())
                .allSatisfy(room -> assertThat(walk).contains("`" + room + "`"));
    }

    @Configuration(proxyBeanMethods = false)
    @Import({Base.class, Endpoints.class})
    static class Application {}

    @RestController
    static class Endpoints {

        @GetMapping({"/few", "/many"})
        String served() {
            return "served";
        }
    }
}
