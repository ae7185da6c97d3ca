package dev.limiter.readme;

import static java.util.stream.Collectors.joining;
import static java.util.stream.Collectors.toSet;
import static org.assertj.core.api.Assertions.assertThat;

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
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
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

/** Compares the public types with the manual, and their members with a resource. */
class PublicApiTests {

    private static final Path PAGE = Path.of("../docs/reference/api.md");
    private static final Path SIGNATURES = Path.of("src/test/resources/public-api.txt");

    private static final Pattern PUBLIC_TYPE =
            Pattern.compile("^public [a-z -]*(?:class|interface|enum|record|@interface) (\\w+)", Pattern.MULTILINE);
    private static final Pattern UNPUBLISHED = Pattern.compile("dev\\.limiter\\.(benchmarks|testkit)\\.");
    private static final Pattern NAMED_TYPE = Pattern.compile("\\bdev\\.limiter(?:\\.[a-z]+)*\\.[A-Z]\\w+");
    private static final Pattern LINK = Pattern.compile("\\{@(?:link|linkplain) (\\S+?)(?:\\s+([^}]+))?}");
    private static final Pattern CODE = Pattern.compile("\\{@code ([^}]+)}");

    /** After an intended change, run this test with {@code -Dwrite.reference=true}. */
    @Test
    void pageListsTheTypes() throws IOException {
        compare(PAGE, page());
    }

    @Test
    void resourceListsTheirMembers() throws IOException {
        compare(SIGNATURES, signatures());
    }

    private static void compare(Path file, String content) throws IOException {
        if (Boolean.getBoolean("write.reference")) {
            Files.writeString(file, content);
        }
        assertThat(file).hasContent(content);
    }

    @Test
    void membersNameOnlyListedTypes() throws IOException {
        Set<String> listed = names(ApiTypes.all());
        SortedSet<String> others = new TreeSet<>();
        for (Class<?> type : ApiTypes.all()) {
            Stream<Class<?>> above = supertypes(type).filter(supertype -> Modifier.isPublic(supertype.getModifiers()));
            Stream.concat(above, members(type).flatMap(PublicApiTests::named))
                    .map(Class::getName)
                    .filter(name -> name.startsWith("dev.limiter.") && !listed.contains(name))
                    .forEach(name -> others.add(type.getName() + " names " + name));
        }
        assertThat(others).isEmpty();
    }

    @Test
    void publicTypesAreListedOrInAnInternalPackage() throws IOException {
        Set<String> listed = names(ApiTypes.all());
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
        Set<String> listed = names(ApiTypes.all());
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

    /** Returns the sources of the published modules. */
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
        return """
                # Public API

                The types that applications are compiled with. Until 1.0 they change in a minor version only, and the CHANGELOG says how. All other public types are internal and may change in any version. This page is generated from the Javadoc.

                ## For applications

                %s
                ## For storages, algorithms and other extensions

                %s""".formatted(list(ApiTypes.forApplications()), list(ApiTypes.spi()));
    }

    private static String list(SortedSet<Class<?>> types) throws IOException {
        StringBuilder list = new StringBuilder();
        String last = "";
        for (Class<?> type : types) {
            if (!type.getPackageName().equals(last)) {
                list.append(last.isEmpty() ? "" : "\n").append("**`%s`**\n\n".formatted(type.getPackageName()));
                last = type.getPackageName();
            }
            Path source = source(type);
            list.append("- [`%s`](https://javadoc.io/doc/dev.limiter/%s/latest/%s.html): %s%n"
                    .formatted(
                            type.getSimpleName(),
                            source.getName(0),
                            type.getName().replace('.', '/'),
                            firstSentence(type, Files.readString(Sources.MODULES.resolve(source)))));
        }
        return list.toString();
    }

    private static Path source(Class<?> type) {
        String end = type.getName().replace('.', '/') + ".java";
        return productFiles().stream()
                .filter(file -> file.endsWith(Path.of(end)))
                .findFirst()
                .orElseThrow();
    }

    /** Returns the first sentence of the Javadoc. */
    private static String firstSentence(Class<?> type, String source) {
        Matcher comment = Pattern.compile(
                        "/\\*\\*((?:(?!\\*/).)*)\\*/\\s*(?:@[^\\n]+\\s+)*public [a-z -]*"
                                + "(?:class|interface|enum|record|@interface) " + type.getSimpleName() + "\\b",
                        Pattern.DOTALL)
                .matcher(source);
        assertThat(comment.find()).as("Javadoc of %s", type).isTrue();
        String text = comment.group(1)
                .replaceAll("(?m)^\\s*\\*", "")
                .replaceAll("\\s+", " ")
                .strip();
        text = CODE.matcher(text).replaceAll(code -> "`" + Matcher.quoteReplacement(code.group(1)) + "`");
        text = LINK.matcher(text)
                .replaceAll(link -> Matcher.quoteReplacement(
                        link.group(2) != null
                                ? link.group(2)
                                : "`" + link.group(1).replaceFirst("^#", "").replace('#', '.') + "`"));
        return text.split("(?<=\\.) |(?= @param)| <p>", 2)[0];
    }

    private static String signatures() throws IOException {
        TreeMap<String, SortedSet<Class<?>>> byPackage = new TreeMap<>();
        for (Class<?> type : ApiTypes.all()) {
            byPackage
                    .computeIfAbsent(type.getPackageName(), name -> new TreeSet<>(Comparator.comparing(Class::getName)))
                    .add(type);
        }
        return byPackage.entrySet().stream()
                .map(entry -> "package " + entry.getKey() + "\n\n"
                        + entry.getValue().stream().map(PublicApiTests::text).collect(joining("\n")))
                .collect(joining("\n"));
    }

    private static Stream<Class<?>> supertypes(Class<?> type) {
        return Stream.concat(Stream.ofNullable(type.getSuperclass()), Arrays.stream(type.getInterfaces()));
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

    /** Removes the names of packages. */
    private static String text(Type type) {
        return type.getTypeName().replaceAll("[a-z][\\w]*\\.", "").replace('$', '.');
    }
}
