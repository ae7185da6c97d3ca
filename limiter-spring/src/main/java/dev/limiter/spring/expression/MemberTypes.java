package dev.limiter.spring.expression;

import dev.limiter.spring.failure.DidYouMean;
import java.lang.reflect.Field;
import java.lang.reflect.Member;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;
import org.springframework.util.StringUtils;

/**
 * The members of a type that SpEL can read and call. Generous: a member that some version of SpEL finds counts as
 * present. Objects of an interface, abstract class or exception may have more members than the type, so there only a
 * likely misspelling counts as missing.
 */
final class MemberTypes {

    private static final String CLOSED = MemberTypes.class.getPackageName().replace(".expression", ".context") + ".";

    private MemberTypes() {}

    /** The class of a declared type; null if it is not known, as of a type variable. */
    static @Nullable Class<?> declared(@Nullable Type type) {
        if (type instanceof ParameterizedType parameterized) {
            return declared(parameterized.getRawType());
        }
        if (!(type instanceof Class<?> declared)) {
            return null;
        }
        return declared == Void.class ? void.class : declared;
    }

    static Class<?> boxed(Class<?> type) {
        return ClassUtils.resolvePrimitiveIfNecessary(type);
    }

    /** The members of an object, as they are written behind it, that give a type. */
    static Set<String> giving(Class<?> owner, Class<?> wanted) {
        Set<String> names = new TreeSet<>();
        if (owner.isEnum() && wanted == String.class) {
            names.add("name()");
        } else if (!owner.getName().startsWith("java.lang.")) {
            methods(owner)
                    .filter(method -> isOwn(method) && isReader(method) && method.getDeclaringClass() != Enum.class)
                    .filter(method -> boxed(method.getReturnType()) == wanted)
                    .forEach(method -> names.add(
                            isOwnContext(owner) || !property(method).equals(method.getName())
                                    ? property(method)
                                    : method.getName() + "()"));
        }
        return names;
    }

    /** The class whose members are known of a declared one; null if they are not, as of {@code Object} and maps. */
    static @Nullable Class<?> known(@Nullable Class<?> declared) {
        boolean silent = declared == null
                || declared == void.class
                || declared == Object.class
                || declared == Class.class
                || declared == Optional.class
                || declared.isArray()
                || Map.class.isAssignableFrom(declared);
        return silent ? null : declared;
    }

    /**
     * The type of a property.
     *
     * @param open whether the object may have more members than the type
     * @return null if it is not known
     * @throws IllegalStateException if there is no such property
     */
    static @Nullable Class<?> property(Class<?> owner, boolean open, String name) {
        List<Type> types = readers(owner, name).toList();
        if (types.isEmpty()) {
            missing(owner, open, name, isOwnContext(owner) ? members(owner) : properties(owner));
        }
        return common(types);
    }

    /**
     * The type of what can be read of a class itself: static, or of {@code Class}.
     *
     * @return null if it is not known
     * @throws IllegalStateException if there is no such property
     */
    static @Nullable Class<?> staticProperty(Class<?> owner, String name) {
        List<Type> types =
                Stream.concat(readers(owner, name), readers(Class.class, name)).toList();
        boolean length = owner.isArray() && name.equals("length");
        if (types.isEmpty() && !length) {
            Set<String> names = new TreeSet<>();
            fields(owner).filter(MemberTypes::isStatic).map(Field::getName).forEach(names::add);
            missing(owner, false, name, names);
        }
        return common(types);
    }

    private static @Nullable Class<?> common(List<Type> types) {
        return types.stream().distinct().count() == 1 ? declared(types.get(0)) : null;
    }

    /**
     * The type of what a method returns.
     *
     * @param open whether the object may have more members than the type
     * @return null if it is not known
     * @throws IllegalStateException if there is no such method
     */
    static @Nullable Class<?> method(Class<?> owner, boolean open, String name, int arguments) {
        List<Method> named =
                methods(owner).filter(method -> method.getName().equals(name)).toList();
        if (named.isEmpty()) {
            missing(owner, open, name, methodNames(owner));
            return null;
        }
        return result(owner, open, named, arguments);
    }

    /**
     * The type of what a method of a class itself returns: a static one, or one of {@code Class}.
     *
     * @return null if it is not known
     * @throws IllegalStateException if there is no such method
     */
    static @Nullable Class<?> staticMethod(Class<?> owner, String name, int arguments) {
        List<Method> named = Stream.concat(
                        methods(owner).filter(MemberTypes::isStatic), Arrays.stream(Class.class.getMethods()))
                .filter(method -> method.getName().equals(name))
                .toList();
        if (named.isEmpty()) {
            Set<String> names = new TreeSet<>();
            methods(owner).filter(MemberTypes::isStatic).map(Method::getName).forEach(names::add);
            missing(owner, false, name, names);
            return null;
        }
        return result(owner, false, named, arguments);
    }

    private static @Nullable Class<?> result(Class<?> owner, boolean open, List<Method> named, int arguments) {
        String name = named.get(0).getName();
        List<Method> fitting =
                named.stream().filter(method -> takes(method, arguments)).toList();
        if (fitting.isEmpty() && !open && !isOpen(owner)) {
            throw new IllegalStateException("\"" + name + "\" of " + owner.getSimpleName() + " takes "
                    + named.get(0).getParameterCount() + " arguments, not " + arguments);
        }
        return common(fitting.stream().map(Method::getGenericReturnType).toList());
    }

    private static boolean takes(Method method, int arguments) {
        return method.getParameterCount() == arguments
                || method.isVarArgs() && arguments >= method.getParameterCount() - 1;
    }

    private static Stream<Type> readers(Class<?> owner, String name) {
        Set<String> getters = new HashSet<>(List.of(
                "get" + name,
                "get" + StringUtils.capitalize(name),
                "is" + name,
                "is" + StringUtils.capitalize(name),
                name));
        return Stream.concat(
                methods(owner)
                        .filter(method -> method.getParameterCount() == 0 && getters.contains(method.getName()))
                        .map(Method::getGenericReturnType),
                fields(owner).filter(field -> field.getName().equals(name)).map(Field::getGenericType));
    }

    private static Stream<Method> methods(Class<?> owner) {
        Stream<Method> own = Arrays.stream(owner.getMethods()).filter(method -> !method.isBridge());
        return owner.isInterface() ? Stream.concat(own, Arrays.stream(Object.class.getMethods())) : own;
    }

    private static Stream<Field> fields(Class<?> owner) {
        return Arrays.stream(owner.getFields());
    }

    private static void missing(Class<?> owner, boolean open, String name, Set<String> names) {
        String suggestion = DidYouMean.ask(name, names);
        if (!open && !isOpen(owner) || !suggestion.isEmpty()) {
            throw new IllegalStateException("\"" + name + "\" is unknown; " + owner.getSimpleName() + " has "
                    + (names.isEmpty() ? "nothing" : String.join(", ", names))
                    + (suggestion.isEmpty() ? "" : "." + suggestion));
        }
    }

    /** Whether objects of the type usually have members that the type has not. */
    private static boolean isOpen(Class<?> type) {
        boolean ofSomebodyElse = type.isInterface() || Modifier.isAbstract(type.getModifiers());
        return !isOwnContext(type) && (ofSomebodyElse || Throwable.class.isAssignableFrom(type));
    }

    private static Set<String> properties(Class<?> owner) {
        Set<String> names = new TreeSet<>();
        fields(owner).map(Field::getName).forEach(names::add);
        methods(owner)
                .filter(MemberTypes::isOwn)
                .filter(MemberTypes::isReader)
                .forEach(method -> names.add(property(method)));
        return names;
    }

    /** Also what is asked for with a name, such as a header. */
    private static Set<String> members(Class<?> owner) {
        Set<String> names = properties(owner);
        methods(owner)
                .filter(method -> isOwn(method) && method.getParameterCount() > 0)
                .forEach(method -> names.add(method.getName() + "()"));
        return names;
    }

    private static boolean isOwnContext(Class<?> type) {
        return type.getName().startsWith(CLOSED);
    }

    private static Set<String> methodNames(Class<?> owner) {
        Set<String> names = new TreeSet<>();
        methods(owner).filter(MemberTypes::isOwn).forEach(method -> names.add(method.getName()));
        return names;
    }

    private static boolean isStatic(Member member) {
        return Modifier.isStatic(member.getModifiers());
    }

    private static boolean isOwn(Method method) {
        return method.getDeclaringClass() != Object.class && !isStatic(method);
    }

    private static boolean isReader(Method method) {
        return method.getParameterCount() == 0
                && method.getReturnType() != void.class
                && !ReflectionUtils.isObjectMethod(method);
    }

    private static String property(Method getter) {
        String name = getter.getName();
        int prefix = name.startsWith("get") ? 3 : name.startsWith("is") ? 2 : 0;
        boolean prefixed = prefix > 0 && name.length() > prefix && Character.isUpperCase(name.charAt(prefix));
        return prefixed ? StringUtils.uncapitalize(name.substring(prefix)) : name;
    }
}
