package dev.limiter.readme;

import static java.util.stream.Collectors.joining;
import static java.util.stream.Collectors.toSet;
import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.failover.FailoverRateLimiterStorage;
import dev.limiter.failover.RemoteStorage;
import dev.limiter.failover.StorageUnavailableException;
import dev.limiter.memory.InMemoryRateLimiterStorage;
import dev.limiter.redis.ConnectingRedis;
import dev.limiter.redis.LettuceRedis;
import dev.limiter.redis.RedisRateLimiterStorage;
import dev.limiter.spring.RateLimitTemplate;
import dev.limiter.spring.context.RequestView;
import dev.limiter.spring.context.ResponseView;
import dev.limiter.spring.decide.RateLimitListener;
import dev.limiter.spring.key.KeyResolver;
import dev.limiter.spring.key.KeySource;
import dev.limiter.spring.operate.RulesChanged;
import dev.limiter.spring.operate.SuggestLimit;
import dev.limiter.spring.rule.LimitOptions;
import dev.limiter.spring.rule.LimitResolver;
import dev.limiter.spring.rule.RuleOptions;
import dev.limiter.spring.rule.RuleSource;
import dev.limiter.spring.web.RejectionHandler;
import dev.limiter.spring.web.ResourceResolver;
import java.io.IOException;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.Field;
import java.lang.reflect.Member;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.springframework.core.io.Resource;
import org.springframework.core.io.support.PathMatchingResourcePatternResolver;
import org.springframework.core.type.classreading.CachingMetadataReaderFactory;
import org.springframework.util.ClassUtils;

/** The manual lists the public API: no part of it changes unseen. */
class PublicApiTests {

    private static final Path PAGE = Path.of("../docs/reference/api.md");

    /** All public types of these are for applications. */
    private static final List<String> PACKAGES =
            List.of("dev.limiter", "dev.limiter.spi", "dev.limiter.spring.annotation", "dev.limiter.test");

    /** And these of others, with all that their members name. */
    private static final List<Class<?>> TYPES = List.of(
            ConnectingRedis.class,
            FailoverRateLimiterStorage.class,
            InMemoryRateLimiterStorage.class,
            KeyResolver.class,
            KeySource.class,
            LettuceRedis.class,
            LimitOptions.class,
            LimitResolver.class,
            RateLimitListener.class,
            RateLimitTemplate.class,
            RedisRateLimiterStorage.class,
            StorageUnavailableException.class,
            RejectionHandler.class,
            RemoteStorage.class,
            RequestView.class,
            ResourceResolver.class,
            ResponseView.class,
            RuleOptions.class,
            RuleSource.class,
            RulesChanged.class,
            SuggestLimit.class);

    private static final Pattern PUBLIC_TYPE =
            Pattern.compile("^public [a-z -]*(?:class|interface|enum|record) (\\w+)", Pattern.MULTILINE);
    private static final Pattern UNPUBLISHED = Pattern.compile("dev\\.limiter\\.(benchmarks|testkit)\\.");
    private static final Pattern NAMED_TYPE = Pattern.compile("\\bdev\\.limiter(?:\\.[a-z]+)*\\.[A-Z]\\w+");

    /** After a change that is meant, run this test with {@code -Dwrite.reference=true}. */
    @Test
    void pageListsWhatApplicationsMayName() throws IOException {
        String page = page();
        if (Boolean.getBoolean("write.reference")) {
            Files.writeString(PAGE, page);
        }
        assertThat(PAGE).hasContent(page);
    }

    @Test
    void publicTypesAreListedOrInAnInternalPackage() throws IOException {
        Set<String> listed = names(reachable());
        SortedSet<String> neither = new TreeSet<>();
        for (Path file : productFiles()) {
            Matcher type = PUBLIC_TYPE.matcher(Files.readString(Sources.MODULES.resolve(file)));
            if (type.find() && !listed.contains(packageOf(file) + "." + type.group(1)) && !isInternal(file)) {
                neither.add(packageOf(file) + "." + type.group(1));
            }
        }
        assertThat(neither).isEmpty();
    }

    @Test
    void manualNamesOnlyWhatIsListed() throws IOException {
        Set<String> listed = names(reachable());
        SortedSet<String> others = new TreeSet<>();
        try (Stream<Path> manual = Files.walk(Path.of("../docs"))) {
            for (Path page : Stream.concat(manual, ReadmeTests.EXAMPLES.stream())
                    .filter(file -> file.toString().matches(".*\\.(md|java)"))
                    .toList()) {
                NAMED_TYPE
                        .matcher(Files.readString(page))
                        .results()
                        .map(MatchResult::group)
                        .filter(name -> !listed.contains(name)
                                && !UNPUBLISHED.matcher(name).lookingAt())
                        .forEach(name -> others.add(page.getFileName() + ": " + name));
            }
        }
        assertThat(others).isEmpty();
    }

    private static Set<String> names(Collection<Class<?>> types) {
        return types.stream().map(Class::getName).collect(toSet());
    }

    /** The sources of what is published. */
    private static List<Path> productFiles() {
        List<Path> found = Sources.in("src/main/java", name -> name.matches("limiter-.*")).stream()
                .filter(file -> file.toString().endsWith(".java"))
                .map(Sources.MODULES::relativize)
                .toList();
        assertThat(found).hasSizeGreaterThan(300);
        return found;
    }

    private static String packageOf(Path file) {
        return file.subpath(4, file.getNameCount() - 1).toString().replace('/', '.');
    }

    private static boolean isInternal(Path file) throws IOException {
        Path info = Sources.MODULES.resolve(file).resolveSibling("package-info.java");
        return Files.readString(info).contains("Internal");
    }

    private static String page() throws IOException {
        TreeMap<String, SortedSet<Class<?>>> byPackage = new TreeMap<>();
        for (Class<?> type : reachable()) {
            byPackage
                    .computeIfAbsent(type.getPackageName(), name -> new TreeSet<>(Comparator.comparing(Class::getName)))
                    .add(type);
        }
        StringBuilder page = new StringBuilder("# Public API\n\n"
                + "The types and members that applications are compiled with. They change in a minor version only by what is"
                + " added; all else that is public in a jar is in a package that says that it is internal, is public for"
                + " other packages of this project, and may change in any version. This page is generated and compared by a"
                + " test.\n");
        byPackage.forEach((name, types) -> page.append("\n## `")
                .append(name)
                .append("`\n\n```text\n")
                .append(types.stream().map(PublicApiTests::text).collect(joining("\n")))
                .append("```\n"));
        return page.toString();
    }

    /** The types, and those of this project that a public member names. */
    private static SortedSet<Class<?>> reachable() throws IOException {
        SortedSet<Class<?>> found = new TreeSet<>(Comparator.comparing(Class::getName));
        Deque<Class<?>> next = new ArrayDeque<>(TYPES);
        for (String name : PACKAGES) {
            next.addAll(publicTypes(name));
        }
        while (!next.isEmpty()) {
            Class<?> type = next.pop();
            if (type.getName().startsWith("dev.limiter.") && found.add(type)) {
                next.addAll(Arrays.asList(type.getClasses()));
                supertypes(type)
                        .filter(above -> Modifier.isPublic(above.getModifiers()))
                        .forEach(next::add);
                members(type).flatMap(PublicApiTests::named).forEach(next::add);
            }
        }
        return found;
    }

    private static Stream<Class<?>> supertypes(Class<?> type) {
        return Stream.concat(Stream.ofNullable(type.getSuperclass()), Arrays.stream(type.getInterfaces()));
    }

    private static List<Class<?>> publicTypes(String packageName) throws IOException {
        Resource[] files = new PathMatchingResourcePatternResolver()
                .getResources("classpath*:" + packageName.replace('.', '/') + "/*.class");
        CachingMetadataReaderFactory readers = new CachingMetadataReaderFactory();
        List<Class<?>> types = new ArrayList<>();
        for (Resource file : files) {
            String name = readers.getMetadataReader(file).getClassMetadata().getClassName();
            Class<?> type = ClassUtils.resolveClassName(name, null);
            // tests, and what is generated ahead of time for them
            if (Modifier.isPublic(type.getModifiers())
                    && type.getEnclosingClass() == null
                    && !name.endsWith("Tests")
                    && !name.contains("__")) {
                types.add(type);
            }
        }
        return types;
    }

    private static Stream<Member> members(Class<?> type) {
        Stream<Member> all = Stream.of(
                        type.getDeclaredConstructors(), type.getDeclaredMethods(), type.getDeclaredFields())
                .flatMap(Arrays::stream)
                .map(Member.class::cast);
        return all.filter(member -> !member.isSynthetic())
                .filter(member ->
                        Modifier.isPublic(member.getModifiers()) || Modifier.isProtected(member.getModifiers()));
    }

    private static Stream<Class<?>> named(Member member) {
        if (member instanceof Field field) {
            return classes(field.getGenericType());
        }
        Executable executable = (Executable) member;
        Stream<Type> result =
                executable instanceof Method method ? Stream.of(method.getGenericReturnType()) : Stream.of();
        return Stream.concat(Arrays.stream(executable.getGenericParameterTypes()), result)
                .flatMap(PublicApiTests::classes);
    }

    private static Stream<Class<?>> classes(Type type) {
        if (type instanceof ParameterizedType generic) {
            return Stream.concat(
                    classes(generic.getRawType()),
                    Arrays.stream(generic.getActualTypeArguments()).flatMap(PublicApiTests::classes));
        }
        return type instanceof Class<?> named ? Stream.of(named) : Stream.of();
    }

    private static String text(Class<?> type) {
        String members = members(type)
                .map(PublicApiTests::text)
                .sorted()
                .distinct()
                .map(member -> "    " + member + "\n")
                .collect(joining());
        String kind = type.isAnnotation()
                ? "@interface"
                : type.isInterface() ? "interface" : type.isEnum() ? "enum" : type.isRecord() ? "record" : "class";
        return kind + " " + name(type) + "\n" + members;
    }

    private static String name(Class<?> type) {
        return type.getName().substring(type.getPackageName().length() + 1).replace('$', '.');
    }

    private static String text(Member member) {
        String modifiers = Modifier.isStatic(member.getModifiers()) ? "static " : "";
        if (member instanceof Field field) {
            return modifiers + text(field.getGenericType()) + " " + field.getName();
        }
        Executable executable = (Executable) member;
        String parameters = Arrays.stream(executable.getGenericParameterTypes())
                .map(PublicApiTests::text)
                .collect(joining(", "));
        return executable instanceof Constructor<?>
                ? "new(" + parameters + ")"
                : modifiers + text(((Method) executable).getGenericReturnType()) + " " + member.getName() + "("
                        + parameters + ")";
    }

    /** Without the names of packages. */
    private static String text(Type type) {
        return type.getTypeName().replaceAll("[a-z][\\w]*\\.", "").replace('$', '.');
    }
}
