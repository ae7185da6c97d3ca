package dev.limiter.spring.integration;

import static net.bytebuddy.matcher.ElementMatchers.isAbstract;
import static net.bytebuddy.matcher.ElementMatchers.isConstructor;
import static net.bytebuddy.matcher.ElementMatchers.isMethod;
import static net.bytebuddy.matcher.ElementMatchers.none;
import static net.bytebuddy.matcher.ElementMatchers.not;
import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.spring.integration.Walk.Call;
import dev.limiter.testkit.RedisServer;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import net.bytebuddy.agent.ByteBuddyAgent;
import net.bytebuddy.agent.builder.AgentBuilder;
import net.bytebuddy.agent.builder.AgentBuilder.RedefinitionStrategy;
import net.bytebuddy.agent.builder.ResettableClassFileTransformer;
import net.bytebuddy.asm.Advice;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.test.context.ContextConfiguration;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;
import org.springframework.test.context.TestPropertySource;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** How many calls a request takes through Limiter, and which packages it enters: as the page on the architecture says. */
class RequestWalkTests {

    private static final Path PAGE = Path.of("../docs/explanation/architecture.md");

    private static ResettableClassFileTransformer transformer;

    /** Writes each call of a method down that is not abstract. */
    static final class Recorded {

        @Advice.OnMethodEnter
        static void enter(@Advice.Origin("#t") String type, @Advice.Origin("#m") String method) {
            Walk.enter(type, method);
        }

        @Advice.OnMethodExit(onThrowable = Throwable.class)
        static void leave() {
            Walk.leave();
        }
    }

    /** A constructor cannot be told to be left when it throws. */
    static final class Constructed {

        @Advice.OnMethodEnter
        static void construct(@Advice.Origin("#t") String type) {
            Walk.construct(type);
        }
    }

    @BeforeAll
    static void instrument() {
        transformer = new AgentBuilder.Default()
                .disableClassFormatChanges()
                .with(RedefinitionStrategy.RETRANSFORMATION)
                .ignore(none())
                .type((type, loader, module, redefined, domain) -> type.getName()
                                .matches("dev\\.limiter\\.(?!test|.*\\.MeterSuppressingHandler).*")
                        && domain != null
                        && domain.getCodeSource() != null
                        && !domain.getCodeSource().getLocation().getPath().contains("test-classes"))
                .transform((builder, type, loader, module, domain) -> builder.visit(
                                Advice.to(Recorded.class).on(isMethod().and(not(isAbstract()))))
                        .visit(Advice.to(Constructed.class).on(isConstructor())))
                .installOn(ByteBuddyAgent.install());
    }

    @AfterAll
    static void restore() {
        transformer.reset(ByteBuddyAgent.install(), RedefinitionStrategy.RETRANSFORMATION);
    }

    private static void check(Walk walk, String heading, int most) throws Exception {
        assertThat(walk.calls().stream().filter(call -> !call.isConstructor()))
                .as(() -> walk.calls().stream()
                        .map(call -> " ".repeat(call.depth()) + call.room() + " " + call)
                        .collect(Collectors.joining("\n")))
                .hasSizeBetween(most / 2, most);
        List<String> shown = shown(heading);
        assertThat(shown.stream().map(row -> cell(row, 1) + " " + cell(row, 2)))
                .as("### %s of %s", heading, PAGE)
                .containsExactlyElementsOf(walk.entries());
        assertThat(shown).allSatisfy(row -> assertThat(cell(row, 3)).as(row).isNotEmpty());
    }

    /** The rows of the table below that heading. */
    private static List<String> shown(String heading) throws Exception {
        String page = Files.readString(PAGE);
        String section = page.substring(page.indexOf("### " + heading + "\n") + 4);
        return section.substring(0, section.indexOf("\n#"))
                .lines()
                .filter(line -> line.startsWith("| `"))
                .toList();
    }

    private static String cell(String row, int index) {
        return row.split("\\|")[index].replace("`", "").strip();
    }

    @Nested
    @ContextConfiguration(classes = RequestWalkTests.Application.class)
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
    class InMemory extends WebTestSupport {

        @Test
        void permittedRequest() throws Exception {
            check(walk(this, "/many", 200), "A permitted request", 253);
        }

        @Test
        void refusedRequest() throws Exception {
            check(walk(this, "/few", 429), "A refused request", 250);
        }
    }

    @Nested
    @ContextConfiguration(classes = RequestWalkTests.Application.class)
    @TestPropertySource(
            properties = {
                "limiter.storage=redis",
                "limiter.redis.timeout=5s",
                "limiter.redis.key-prefix=walk:",
                "limiter.rules.few.paths=/few",
                "limiter.rules.few.key=ip",
                "limiter.rules.few.limit=1",
                "limiter.rules.few.window=100d"
            })
    class InRedis extends WebTestSupport {

        @DynamicPropertySource
        static void server(DynamicPropertyRegistry registry) {
            registry.add("spring.data.redis.port", () -> RedisServer.shared().port());
        }

        @Test
        void refusalThatIsKnown() throws Exception {
            Walk walk = walk(this, "/few", 429);
            for (int i = 0; i < 20 && walk.calls().stream().anyMatch(RequestWalkTests::sends); i++) {
                walk = walk(this, "/few", 429); // once in a second Redis is asked all the same
            }
            assertThat(walk.calls()).noneMatch(RequestWalkTests::sends);
            check(walk, "A refusal that Redis is not asked for", 267);
        }
    }

    /** The last of several requests. Each is over before the next begins, so that no walk has the end of another in it. */
    private static Walk walk(WebTestSupport application, String path, int status) throws Exception {
        Walk walk = null;
        HttpResponse<String> answer = null;
        for (int i = 0; i < 5; i++) {
            Walk.begin();
            answer = application.get(path);
            walk = Walk.end();
        }
        assertThat(answer.statusCode()).isEqualTo(status);
        return walk;
    }

    private static boolean sends(Call call) {
        return call.type().endsWith(".LettuceRedis") && !call.method().equals("isClustered");
    }

    @Configuration(proxyBeanMethods = false)
    @Import({WebTestSupport.Base.class, Endpoints.class})
    static class Application {}

    @RestController
    static class Endpoints {

        @GetMapping({"/few", "/many"})
        String served() {
            return "served";
        }
    }
}
