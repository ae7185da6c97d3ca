package dev.limiter.spring.expression;

import dev.limiter.spring.context.RequestView;
import dev.limiter.spring.failure.DidYouMean;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The variables that an expression can refer to. Immutable. */
public final class ExpressionScope {

    /** Only {@code #request}. */
    public static final ExpressionScope REQUEST = new ExpressionScope(Set.of(Variables.REQUEST), Set.of());

    /** Only {@code #request}, before Spring Security and before routing. */
    public static final ExpressionScope ARRIVING_REQUEST = new ExpressionScope(
            Set.of(Variables.REQUEST), Set.of("principal", "isUserInRole", "pathVariable", "pattern"));

    /** All variables, because the methods of the rule are not known yet. */
    public static final ExpressionScope ANY = new ExpressionScope(null, Set.of());

    /** The members of {@code #request}, which are called by name or read as properties. */
    private static final Set<String> OF_REQUEST = Stream.of(RequestView.class, Object.class)
            .flatMap(type -> Arrays.stream(type.getMethods()))
            .map(Method::getName)
            .collect(Collectors.toUnmodifiableSet());

    private final @Nullable Set<String> names;
    private final Set<String> unknownOfRequest;

    private ExpressionScope(@Nullable Set<String> names, Set<String> unknownOfRequest) {
        this.names = names;
        this.unknownOfRequest = unknownOfRequest;
    }

    /**
     * Returns a scope with {@code #request}, and the parameters of a method by name and as {@code #p0} and {@code #a0}.
     */
    public static ExpressionScope of(Method method) {
        return REQUEST.with(new Variables().of(method).keySet());
    }

    /** Returns this scope with the response to the request. */
    public ExpressionScope afterRequest() {
        return with(List.of(Variables.RESPONSE));
    }

    /** Returns this scope with the outcome of a call and the response to the request. */
    public ExpressionScope afterCall() {
        return with(Variables.OUTCOME);
    }

    private ExpressionScope with(Collection<String> more) {
        if (names == null) {
            return this;
        }
        Set<String> all = new LinkedHashSet<>(names);
        all.addAll(more);
        return new ExpressionScope(all, unknownOfRequest);
    }

    /** @throws IllegalArgumentException if the variable is unknown */
    void checkVariable(String name) {
        if (names != null && !names.contains(name)) {
            throw new IllegalArgumentException(
                    "#" + name + " is unknown. Known are " + this + "." + DidYouMean.ask(name, names));
        }
    }

    /** @throws IllegalArgumentException if requests do not have this member, or do not have it yet */
    public void checkRequest(String member) {
        if (!OF_REQUEST.contains(member)) {
            throw new IllegalArgumentException(
                    "#request has no \"" + member + "\"." + DidYouMean.ask(member, OF_REQUEST));
        }
        if (unknownOfRequest.contains(member)) {
            throw new IllegalArgumentException(member + " is not known yet: a rule with phase: request decides before"
                    + " Spring Security and before routing; use phase: endpoint, or another part of the request");
        }
    }

    @Override
    public String toString() {
        return names == null ? "any" : "#" + String.join(", #", names);
    }
}
