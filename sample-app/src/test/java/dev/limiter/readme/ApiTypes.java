package dev.limiter.readme;

import static java.util.stream.Collectors.toCollection;

import java.lang.reflect.Modifier;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.springframework.util.ClassUtils;

/** The public top-level types that are API. All other public types are in internal packages. */
final class ApiTypes {

    /** All public types of these packages are for applications, except those of {@link #SPI}. */
    private static final List<String> APPLICATION_PACKAGES =
            List.of("dev.limiter", "dev.limiter.spring.annotation", "dev.limiter.test");

    private static final List<String> APPLICATION = names("""
            Align ClientAddress HeaderStyle InMemoryRateLimiterStorage IpAddress KeyResolver KeySource LettuceRedis
            LimitResolver LimiterFilterFunctions Mode Outcome Phase RateLimitContext RateLimitEvent RateLimitListener
            RateLimitTemplate RedisRateLimiterStorage RejectionHandler RequestView ResourceResolver ResponseView
            RuleDefinition RuleSource RuleTerms RulesChanged Scope ServerRejectionHandler ServerResourceResolver
            StorageEvent
            """);

    private static final List<String> SPI_PACKAGES = List.of("dev.limiter.spi");

    /** Types for custom storages and algorithms, and types in their signatures. */
    private static final List<String> SPI = names("""
            ConnectingRedis FailoverRateLimiterStorage LimitDefinition LimitOptions LimitsDefinition MessageCode Option
            RateLimiterFactory RateLimiterStorage RateLimiterStrategy Redis RemoteStorage RuleOptions RuleOrigin Script
            Setting Settings StorageListener StorageStatistics StorageUnavailableException
            """);

    private ApiTypes() {}

    private static List<String> names(String text) {
        return List.of(text.strip().split("\\s+"));
    }

    static SortedSet<Class<?>> forApplications() {
        SortedSet<Class<?>> types = types(APPLICATION_PACKAGES, APPLICATION);
        types.removeAll(spi());
        return types;
    }

    static SortedSet<Class<?>> spi() {
        return types(SPI_PACKAGES, SPI);
    }

    /** Returns these types with their public nested types. */
    static SortedSet<Class<?>> all() {
        return sorted(Stream.concat(forApplications().stream(), spi().stream()).flatMap(ApiTypes::withNested));
    }

    private static Stream<Class<?>> withNested(Class<?> type) {
        return Stream.concat(Stream.of(type), Stream.of(type.getClasses()).flatMap(ApiTypes::withNested));
    }

    /** Returns the public types of these packages, and those with these names. */
    private static SortedSet<Class<?>> types(List<String> packages, List<String> names) {
        return sorted(Sources.in("src/main/java", module -> module.startsWith("limiter-")).stream()
                .map(Path::toString)
                .filter(file -> file.endsWith(".java") && !file.endsWith("-info.java"))
                .map(file -> file.replaceFirst(".*src.main.java.", "").replace(".java", ""))
                .map(name -> name.replace('/', '.').replace('\\', '.'))
                .filter(name -> packages.contains(ClassUtils.getPackageName(name))
                        || names.contains(ClassUtils.getShortName(name)))
                .<Class<?>>map(name -> ClassUtils.resolveClassName(name, null))
                .filter(type -> Modifier.isPublic(type.getModifiers())));
    }

    private static SortedSet<Class<?>> sorted(Stream<Class<?>> types) {
        return types.collect(toCollection(() -> new TreeSet<>(Comparator.comparing(Class::getName))));
    }
}
