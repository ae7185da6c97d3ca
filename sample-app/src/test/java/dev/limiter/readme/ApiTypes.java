package dev.limiter.readme;

import static java.util.stream.Collectors.toCollection;

import dev.limiter.RateLimiterFactory;
import dev.limiter.RateLimiterStorage;
import dev.limiter.RateLimiterStrategy;
import dev.limiter.failover.FailoverRateLimiterStorage;
import dev.limiter.failover.RemoteStorage;
import dev.limiter.failover.StorageListener;
import dev.limiter.failover.StorageUnavailableException;
import dev.limiter.memory.InMemoryRateLimiterStorage;
import dev.limiter.redis.ConnectingRedis;
import dev.limiter.redis.LettuceRedis;
import dev.limiter.redis.Redis;
import dev.limiter.redis.RedisRateLimiterStorage;
import dev.limiter.redis.Script;
import dev.limiter.redis.StorageStatistics;
import dev.limiter.spring.RateLimitTemplate;
import dev.limiter.spring.address.ClientAddress;
import dev.limiter.spring.address.IpAddress;
import dev.limiter.spring.context.RateLimitContext;
import dev.limiter.spring.context.RequestView;
import dev.limiter.spring.context.ResponseView;
import dev.limiter.spring.decide.Outcome;
import dev.limiter.spring.decide.RateLimitEvent;
import dev.limiter.spring.decide.RateLimitListener;
import dev.limiter.spring.decide.StorageEvent;
import dev.limiter.spring.failure.MessageCode;
import dev.limiter.spring.key.KeyResolver;
import dev.limiter.spring.key.KeySource;
import dev.limiter.spring.operate.RulesChanged;
import dev.limiter.spring.rule.Align;
import dev.limiter.spring.rule.HeaderStyle;
import dev.limiter.spring.rule.LimitDefinition;
import dev.limiter.spring.rule.LimitOptions;
import dev.limiter.spring.rule.LimitResolver;
import dev.limiter.spring.rule.LimitsDefinition;
import dev.limiter.spring.rule.Mode;
import dev.limiter.spring.rule.Option;
import dev.limiter.spring.rule.Phase;
import dev.limiter.spring.rule.RuleDefinition;
import dev.limiter.spring.rule.RuleOptions;
import dev.limiter.spring.rule.RuleOrigin;
import dev.limiter.spring.rule.RuleSource;
import dev.limiter.spring.rule.RuleTerms;
import dev.limiter.spring.rule.Scope;
import dev.limiter.spring.rule.Setting;
import dev.limiter.spring.rule.Settings;
import dev.limiter.spring.web.LimiterFilterFunctions;
import dev.limiter.spring.web.RejectionHandler;
import dev.limiter.spring.web.ResourceResolver;
import dev.limiter.spring.webflux.ServerRejectionHandler;
import dev.limiter.spring.webflux.ServerResourceResolver;
import java.io.IOException;
import java.lang.reflect.Modifier;
import java.util.Comparator;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.springframework.core.io.Resource;
import org.springframework.core.io.support.PathMatchingResourcePatternResolver;
import org.springframework.core.type.classreading.CachingMetadataReaderFactory;
import org.springframework.util.ClassUtils;

/** The public top-level types that are API. All other public types are in internal packages. */
final class ApiTypes {

    /** All public types of these packages are for applications, except those of {@link #SPI}. */
    private static final List<String> APPLICATION_PACKAGES =
            List.of("dev.limiter", "dev.limiter.spring.annotation", "dev.limiter.test");

    private static final List<Class<?>> APPLICATION = List.of(
            Align.class,
            ClientAddress.class,
            HeaderStyle.class,
            InMemoryRateLimiterStorage.class,
            IpAddress.class,
            KeyResolver.class,
            KeySource.class,
            LettuceRedis.class,
            LimitResolver.class,
            LimiterFilterFunctions.class,
            Mode.class,
            Outcome.class,
            Phase.class,
            RateLimitContext.class,
            RateLimitEvent.class,
            RateLimitListener.class,
            RateLimitTemplate.class,
            RedisRateLimiterStorage.class,
            RejectionHandler.class,
            RequestView.class,
            ResourceResolver.class,
            ResponseView.class,
            RuleDefinition.class,
            RuleSource.class,
            RuleTerms.class,
            RulesChanged.class,
            Scope.class,
            ServerRejectionHandler.class,
            ServerResourceResolver.class,
            StorageEvent.class);

    private static final List<String> SPI_PACKAGES = List.of("dev.limiter.spi");

    /** Types for custom storages and algorithms, and types in their signatures. */
    private static final List<Class<?>> SPI = List.of(
            ConnectingRedis.class,
            FailoverRateLimiterStorage.class,
            LimitDefinition.class,
            LimitOptions.class,
            LimitsDefinition.class,
            MessageCode.class,
            Option.class,
            RateLimiterFactory.class,
            RateLimiterStorage.class,
            RateLimiterStrategy.class,
            Redis.class,
            RemoteStorage.class,
            RuleOptions.class,
            RuleOrigin.class,
            Script.class,
            Setting.class,
            Settings.class,
            StorageListener.class,
            StorageStatistics.class,
            StorageUnavailableException.class);

    private ApiTypes() {}

    static SortedSet<Class<?>> forApplications() throws IOException {
        SortedSet<Class<?>> types = sorted(Stream.concat(ofPackages(APPLICATION_PACKAGES), APPLICATION.stream()));
        types.removeAll(SPI);
        return types;
    }

    static SortedSet<Class<?>> spi() throws IOException {
        return sorted(Stream.concat(ofPackages(SPI_PACKAGES), SPI.stream()));
    }

    /** Returns these types with their public nested types. */
    static SortedSet<Class<?>> all() throws IOException {
        return sorted(Stream.concat(forApplications().stream(), spi().stream()).flatMap(ApiTypes::withNested));
    }

    private static Stream<Class<?>> withNested(Class<?> type) {
        return Stream.concat(Stream.of(type), Stream.of(type.getClasses()).flatMap(ApiTypes::withNested));
    }

    private static SortedSet<Class<?>> sorted(Stream<Class<?>> types) {
        return types.collect(toCollection(() -> new TreeSet<>(Comparator.comparing(Class::getName))));
    }

    private static Stream<Class<?>> ofPackages(List<String> packages) throws IOException {
        SortedSet<Class<?>> types = sorted(Stream.of());
        CachingMetadataReaderFactory readers = new CachingMetadataReaderFactory();
        for (String name : packages) {
            for (Resource file : new PathMatchingResourcePatternResolver()
                    .getResources("classpath*:" + name.replace('.', '/') + "/*.class")) {
                String type = readers.getMetadataReader(file).getClassMetadata().getClassName();
                // tests, and code generated for them ahead of time
                if (!type.endsWith("Tests") && !type.contains("__")) {
                    types.add(ClassUtils.resolveClassName(type, null));
                }
            }
        }
        return types.stream()
                .filter(type -> Modifier.isPublic(type.getModifiers()) && type.getEnclosingClass() == null);
    }
}
