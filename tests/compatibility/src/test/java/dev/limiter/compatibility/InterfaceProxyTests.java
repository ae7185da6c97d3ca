package dev.limiter.compatibility;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.limiter.RateLimitExceededException;
import dev.limiter.spring.annotation.RateLimiter;
import dev.limiter.spring.decide.RateLimitEvent;
import dev.limiter.spring.decide.RateLimitListener;
import java.net.URI;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.aop.support.AopUtils;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.data.annotation.Id;
import org.springframework.data.keyvalue.annotation.KeySpace;
import org.springframework.data.keyvalue.repository.KeyValueRepository;
import org.springframework.data.map.repository.config.EnableMapRepositories;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.client.RestClient;
import org.springframework.web.client.support.RestClientAdapter;
import org.springframework.web.service.annotation.GetExchange;
import org.springframework.web.service.invoker.HttpServiceProxyFactory;

/** Beans behind both kinds of proxies, and beans that implement an interface only by a proxy. */
@Tag("each-line")
class InterfaceProxyTests {

    @AutoClose
    private static final ConfigurableApplicationContext application =
            Applications.start(Application.class, "spring.data.redis.repositories.enabled=false");

    @Test
    void repositoriesHaveBucketsOfTheirOwn() {
        Authors authors = application.getBean(Authors.class);
        Books books = application.getBean(Books.class);

        assertPermitted(2, () -> authors.findByName("a"));
        assertPermitted(2, () -> books.findByName("a"));

        assertThat(resources())
                .contains("Authors.findByName", "Books.findByName")
                .noneMatch(this::isInternal);
    }

    @Test
    void annotationOnARepositoryLimitsEachOfItsMethods() {
        Limited limited = application.getBean(Limited.class);

        assertPermitted(3, () -> limited.findByName("a"));
        assertPermitted(3, () -> limited.findById("a"));

        assertThat(resources()).contains("Limited.findById").noneMatch(this::isInternal);
    }

    @Test
    void clientsOfHttpServicesAreNamedByTheirInterface() {
        URI uri = URI.create(
                "http://localhost:" + application.getEnvironment().getRequiredProperty("local.server.port") + "/hello");
        English english = application.getBean(English.class);
        German german = application.getBean(German.class);

        assertPermitted(1, () -> assertThat(english.hello(uri)).isEqualTo("hello"));
        assertPermitted(1, () -> assertThat(german.hello(uri)).isEqualTo("hello"));
        assertPermitted(4, () -> german.hallo(uri));

        assertThat(resources())
                .contains("English.hello", "German.hello", "German.hallo")
                .noneMatch(this::isInternal);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void everyBeanIsLimitedWithEachSortOfProxy(boolean targetClass) {
        try (ConfigurableApplicationContext application =
                Applications.startWithoutWeb(Proxied.class, "spring.aop.proxy-target-class=" + targetClass)) {
            Contract contract = application.getBean(Contract.class);

            assertThat(AopUtils.isJdkDynamicProxy(contract)).isEqualTo(!targetClass);
            assertPermitted(2, contract::byInterface);
            assertPermitted(1, contract::byClass);
        }
    }

    @Test
    void aBeanMayBeOfAFinalClassBehindItsInterface() {
        try (ConfigurableApplicationContext application =
                Applications.startWithoutWeb(FinallyProxied.class, "spring.aop.proxy-target-class=false")) {
            assertPermitted(2, application.getBean(Contract.class)::byInterface);
        }
    }

    private boolean isInternal(String resource) {
        return resource.contains("Proxy") || resource.contains("Simple");
    }

    private static List<String> resources() {
        return application.getBean(Events.class).events.stream()
                .map(RateLimitEvent::resource)
                .toList();
    }

    private static void assertPermitted(int permits, Runnable call) {
        for (int i = 0; i < permits; i++) {
            call.run();
        }
        assertThatThrownBy(call::run).isInstanceOf(RateLimitExceededException.class);
    }

    @KeySpace("named")
    static class Named {

        @Id
        String id;

        String name;
    }

    interface Authors extends KeyValueRepository<Named, String> {

        @RateLimiter(limit = 2, window = "1h")
        List<Named> findByName(String name);
    }

    interface Books extends KeyValueRepository<Named, String> {

        @RateLimiter(limit = 2, window = "1h")
        List<Named> findByName(String name);
    }

    @RateLimiter(limit = 3, window = "1h")
    interface Limited extends KeyValueRepository<Named, String> {

        List<Named> findByName(String name);
    }

    interface Greeting {

        @RateLimiter(limit = 1, window = "1h")
        @GetExchange
        String hello(URI uri);
    }

    interface English extends Greeting {}

    interface German extends Greeting {

        @RateLimiter(limit = 4, window = "1h")
        @GetExchange
        String hallo(URI uri);
    }

    static class Events implements RateLimitListener {

        private final List<RateLimitEvent> events = new CopyOnWriteArrayList<>();

        @Override
        public void onDecision(RateLimitEvent event) {
            events.add(event);
        }
    }

    @RestController
    static class Hello {

        @GetMapping("/hello")
        String hello() {
            return "hello";
        }
    }

    @SpringBootConfiguration
    @EnableAutoConfiguration
    @EnableMapRepositories(considerNestedRepositories = true)
    @Import({Events.class, Hello.class, OpenSecurity.class})
    static class Application {

        @Bean
        English english() {
            return client(English.class);
        }

        @Bean
        German german() {
            return client(German.class);
        }

        private static <T> T client(Class<T> type) {
            return HttpServiceProxyFactory.builderFor(RestClientAdapter.create(RestClient.create()))
                    .build()
                    .createClient(type);
        }
    }

    interface Contract {

        @RateLimiter(limit = 2, window = "1h")
        void byInterface();

        void byClass();
    }

    static class Implementation implements Contract {

        @Override
        public void byInterface() {}

        @Override
        @RateLimiter(limit = 5, window = "1h")
        @RateLimiter(limit = 1, window = "2h")
        public void byClass() {}
    }

    static final class FinalImplementation implements Contract {

        @Override
        public void byInterface() {}

        @Override
        public void byClass() {}
    }

    @SpringBootConfiguration
    @EnableAutoConfiguration
    @Import(Implementation.class)
    static class Proxied {}

    @SpringBootConfiguration
    @EnableAutoConfiguration
    @Import(FinalImplementation.class)
    static class FinallyProxied {}
}
