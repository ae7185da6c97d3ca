package dev.limiter.spring.expression;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The variables that an expression can refer to. Immutable. */
public final class ExpressionScope {

    /** Only {@code #request}. */
    public static final ExpressionScope REQUEST = new ExpressionScope(Set.of(Variables.REQUEST));

    /** Whatever the methods have that the rule will be applied to. */
    public static final ExpressionScope ANY = new ExpressionScope(null);

    private final @Nullable Set<String> names;

    private ExpressionScope(@Nullable Set<String> names) {
        this.names = names;
    }

    /** {@code #request}, and the parameters of a method by name and as {@code #p0} and {@code #a0}. */
    public static ExpressionScope of(Method method) {
        Set<String> names = new LinkedHashSet<>();
        names.add(Variables.REQUEST);
        names.addAll(Arrays.asList(new Variables().parameterNames(method)));
        for (int i = 0; i < method.getParameterCount(); i++) {
            names.add("p" + i);
            names.add("a" + i);
        }
        return new ExpressionScope(names);
    }

    boolean contains(String name) {
        return names == null || names.contains(name);
    }

    @Override
    public String toString() {
        return names == null ? "any" : "#" + String.join(", #", names);
    }
}
