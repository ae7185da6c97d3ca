package dev.limiter.spring.expression;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The variables that an expression can refer to. Immutable. */
public final class ExpressionScope {

    /** Only {@code #request}. */
    public static final ExpressionScope REQUEST = new ExpressionScope(Set.of(Variables.REQUEST), Set.of());

    /** Only {@code #request}, before Spring Security has looked at it and before it is known where it goes. */
    public static final ExpressionScope ARRIVING_REQUEST =
            new ExpressionScope(Set.of(Variables.REQUEST), Set.of("principal", "isUserInRole", "pathVariable"));

    /** Whatever the methods have that the rule will be applied to. */
    public static final ExpressionScope ANY = new ExpressionScope(null, Set.of());

    private final @Nullable Set<String> names;
    private final Set<String> unknownOfRequest;

    private ExpressionScope(@Nullable Set<String> names, Set<String> unknownOfRequest) {
        this.names = names;
        this.unknownOfRequest = unknownOfRequest;
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
        return new ExpressionScope(names, Set.of());
    }

    /** The same once there is an answer to the request. */
    public ExpressionScope afterRequest() {
        return with(Set.of(Variables.RESPONSE));
    }

    /** The same once it is known how the call of a method went, and there may be an answer to a request. */
    public ExpressionScope afterCall() {
        return with(Variables.OUTCOME);
    }

    private ExpressionScope with(Set<String> more) {
        if (names == null) {
            return this;
        }
        Set<String> all = new LinkedHashSet<>(names);
        all.addAll(more);
        return new ExpressionScope(all, unknownOfRequest);
    }

    boolean contains(String name) {
        return names == null || names.contains(name);
    }

    /**
     * @param member of {@code RequestView}
     * @throws IllegalArgumentException if a request never has that yet
     */
    public void checkMember(String member) {
        if (unknownOfRequest.contains(member)) {
            throw new IllegalArgumentException(
                    "a rule with phase: request decides before Spring Security and before the"
                            + " endpoint is known, so that it never has "
                            + (member.equals("pathVariable") ? "path variables" : "a user")
                            + ": use phase: endpoint, or something else of the request");
        }
    }

    @Override
    public String toString() {
        return names == null ? "any" : "#" + String.join(", #", names);
    }
}
