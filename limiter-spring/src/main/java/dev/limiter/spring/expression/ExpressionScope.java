package dev.limiter.spring.expression;

import dev.limiter.spring.context.RequestView;
import dev.limiter.spring.context.ResponseView;
import dev.limiter.spring.failure.DidYouMean;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The variables that an expression can refer to. Immutable. */
public final class ExpressionScope {

    /** Only {@code #request}. */
    public static final ExpressionScope REQUEST =
            new ExpressionScope(Set.of(Variables.REQUEST), Set.of(), Set.of(), null);

    /** Only {@code #request}, before Spring Security has looked at it and before it is known where it goes. */
    public static final ExpressionScope ARRIVING_REQUEST = new ExpressionScope(
            Set.of(Variables.REQUEST), Set.of("principal", "isUserInRole", "pathVariable", "pattern"), Set.of(), null);

    /** All variables: the methods of the rule are not known yet. */
    public static final ExpressionScope ANY = new ExpressionScope(null, Set.of(), Set.of(), null);

    private static final Set<String> OF_REQUEST = members(RequestView.class);
    private static final Set<String> OF_RESPONSE = members(ResponseView.class);

    private final @Nullable Set<String> names;
    private final Set<String> unknownOfRequest;
    private final Set<String> outcome;
    private final @Nullable Method method;

    private ExpressionScope(
            @Nullable Set<String> names, Set<String> unknownOfRequest, Set<String> outcome, @Nullable Method method) {
        this.names = names;
        this.unknownOfRequest = unknownOfRequest;
        this.outcome = outcome;
        this.method = method;
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
        return new ExpressionScope(names, Set.of(), Set.of(), method);
    }

    /** This scope once there is an answer to the request. */
    public ExpressionScope afterRequest() {
        return with(Set.of(Variables.RESPONSE));
    }

    /** This scope once it is known how the call of a method went, and there may be an answer to a request. */
    public ExpressionScope afterCall() {
        return with(Variables.OUTCOME);
    }

    private ExpressionScope with(Set<String> more) {
        if (names == null) {
            return new ExpressionScope(null, unknownOfRequest, more, method);
        }
        Set<String> all = new LinkedHashSet<>(names);
        all.addAll(more);
        return new ExpressionScope(all, unknownOfRequest, more, method);
    }

    boolean contains(String name) {
        return names == null || names.contains(name);
    }

    /** The name that may have been meant, as a question; empty if none is near. */
    String suggestion(String name) {
        return names == null ? "" : DidYouMean.ask(name, names);
    }

    /** The parameters of the method that variables of the same names in an expression hide, as sentences. */
    String hiddenParameters(String expression) {
        List<String> parameters = method == null ? List.of() : Arrays.asList(new Variables().parameterNames(method));
        return Stream.concat(Stream.of(Variables.REQUEST), outcome.stream())
                .filter(name -> parameters.contains(name)
                        && Pattern.compile("#" + name + "\\b")
                                .matcher(expression)
                                .find())
                .map(name -> " #" + name + " is the "
                        + (name.equals(Variables.REQUEST) ? "HTTP request" : "outcome of the call")
                        + "; the parameter of that name is #p" + parameters.indexOf(name) + ".")
                .collect(Collectors.joining());
    }

    /** The names of methods, which are those of properties as well: {@code path} and {@code path()}. */
    private static Set<String> members(Class<?> type) {
        return Stream.of(type, Object.class)
                .flatMap(declaring -> Arrays.stream(declaring.getMethods()))
                .map(Method::getName)
                .collect(Collectors.toUnmodifiableSet());
    }

    private static void check(String variable, String member, Set<String> members) {
        if (!members.contains(member)) {
            throw new IllegalArgumentException(
                    "#" + variable + " has no \"" + member + "\"." + DidYouMean.ask(member, members));
        }
    }

    /**
     * @throws IllegalArgumentException if the response has no such member
     */
    void checkResponse(String member) {
        if (outcome.contains(Variables.RESPONSE)) {
            check(Variables.RESPONSE, member, OF_RESPONSE);
        }
    }

    /**
     * @throws IllegalArgumentException if requests do not have this member, or not yet
     */
    public void checkRequest(String member) {
        check(Variables.REQUEST, member, OF_REQUEST);
        if (unknownOfRequest.contains(member)) {
            throw new IllegalArgumentException(
                    "a rule with phase: request decides before Spring Security and before the"
                            + " endpoint is known, so that it never has "
                            + switch (member) {
                                case "pathVariable" -> "path variables";
                                case "pattern" -> "a pattern";
                                default -> "a user";
                            }
                            + ": use phase: endpoint, or something else of the request");
        }
    }

    @Override
    public String toString() {
        return names == null ? "any" : "#" + String.join(", #", names);
    }
}
