package dev.limiter.spring.key;

import dev.limiter.spring.address.AddressSettings;
import dev.limiter.spring.address.ClientAddresses;
import dev.limiter.spring.context.RequestView;
import dev.limiter.spring.expression.ExpressionScope;
import dev.limiter.spring.expression.LimiterExpression;
import dev.limiter.spring.expression.LimiterExpressionParser;
import dev.limiter.spring.expression.RuleEvaluationException;
import dev.limiter.spring.failure.DidYouMean;
import java.security.Principal;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.util.function.SingletonSupplier;

/** Creates the alternatives of key parts: values of the request, beans and expressions. */
public final class KeyAlternatives {

    private static final int MAX_TYPE_LENGTH = 64;
    /** The token symbols except quotes, which are a common mistake in names. */
    private static final String TOKEN_SYMBOLS = "!#$%&*+-.^_|~";

    private static final Set<String> METHODS = Set.of("GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE");

    private final ListableBeanFactory beans;
    private final LimiterExpressionParser expressions;
    private final SecretValues secrets;
    private final AddressSettings addresses;

    /**
     * @param secrets encodes values that may be secrets: headers, cookies, parameters, sessions, beans and expressions
     * @param addresses normalizes addresses that operators enter
     */
    public KeyAlternatives(
            ListableBeanFactory beans,
            LimiterExpressionParser expressions,
            SecretValues secrets,
            AddressSettings addresses) {
        this.beans = beans;
        this.expressions = expressions;
        this.secrets = secrets;
        this.addresses = addresses;
    }

    /**
     * Parses an alternative.
     *
     * @throws IllegalArgumentException if the name is unknown
     */
    KeyAlternative parse(String text, String where, ExpressionScope scope) {
        if (text.startsWith("#") || text.startsWith("@")) {
            return expression(text, where, scope);
        }
        int colon = text.indexOf(':');
        if (colon >= 0) {
            String name = text.substring(colon + 1).strip();
            if (name.isEmpty()) {
                throw new IllegalArgumentException("\"" + text + "\" needs a name after the colon");
            }
            return named(text.substring(0, colon).strip(), name, text, where, scope);
        }
        return switch (text) {
            case "global" -> new KeyAlternative(text, context -> text, null, text, UnaryOperator.identity());
            case "ip" ->
                new KeyAlternative(
                        text,
                        ofRequest(RequestView::clientAddress),
                        null,
                        ClientAddresses.CONTRADICTORY,
                        addresses::client);
            case "principal" -> {
                scope.checkRequest("principal");
                yield new KeyAlternative(text, ofRequest(KeyAlternatives::principal));
            }
            case "session" -> new KeyAlternative(text, ofRequest(RequestView::sessionId), secrets);
            case "method" -> new KeyAlternative(text, ofRequest(KeyAlternatives::method));
            default -> {
                Supplier<KeyResolver> resolver = bean(text, KeyResolver.class, text);
                KeyResolver value = context -> resolver.get().resolve(context);
                yield new KeyAlternative(
                        text, reported(value, "KeyResolver \"" + text + "\" (" + where + ")"), secrets);
            }
        };
    }

    private KeyAlternative named(String kind, String name, String text, String where, ExpressionScope scope) {
        return switch (kind) {
            case "header" ->
                new KeyAlternative(
                        "header:" + token(name).toLowerCase(Locale.ROOT),
                        ofRequest(request -> request.getHeader(name)),
                        secrets);
            case "cookie" ->
                new KeyAlternative("cookie:" + token(name), ofRequest(request -> request.cookie(name)), secrets);
            case "param" ->
                new KeyAlternative(type("param:" + name), ofRequest(request -> request.getParameter(name)), secrets);
            case "path" -> {
                scope.checkRequest("pathVariable");
                yield new KeyAlternative(type("path:" + name), ofRequest(request -> request.pathVariable(name)));
            }
            default -> {
                Supplier<KeySource> source = bean(kind, KeySource.class, text);
                KeyResolver value = context -> source.get().resolve(name, context);
                yield new KeyAlternative(
                        type(kind + ":" + name),
                        reported(value, "KeySource \"" + kind + "\" (" + where + ")"),
                        secrets);
            }
        };
    }

    /** Returns the type of an alternative: its text, or a hash if that is long. */
    static String type(String text) {
        return text.length() <= MAX_TYPE_LENGTH ? text : TextDigest.of(text);
    }

    private static KeyResolver ofRequest(Function<RequestView, @Nullable String> value) {
        return context -> {
            RequestView request = context.request();
            return request == null ? null : value.apply(request);
        };
    }

    private static @Nullable String principal(RequestView request) {
        Principal principal = request.principal();
        return principal == null ? null : principal.getName();
    }

    /**
     * Returns the method. HEAD counts as GET, and all unknown methods are one: inventing methods must not create
     * buckets.
     */
    private static String method(RequestView request) {
        String method = request.method();
        return METHODS.contains(method) ? method : method.equals("HEAD") ? "GET" : "*";
    }

    private static String token(String name) {
        if (!name.chars().allMatch(c -> c < 128 && (Character.isLetterOrDigit(c) || TOKEN_SYMBOLS.indexOf(c) >= 0))) {
            throw new IllegalArgumentException("\"" + name + "\" is not a valid name of a header or cookie");
        }
        return name;
    }

    private KeyAlternative expression(String text, String where, ExpressionScope scope) {
        LimiterExpression expression = expressions.parse(text, where, scope);
        KeyResolver value = context -> {
            try {
                return KeyText.of(expression.evaluate(context));
            } catch (IllegalArgumentException exception) {
                throw new RuleEvaluationException(expression + " " + exception.getMessage(), exception);
            }
        };
        return new KeyAlternative(type(text), value, secrets);
    }

    /**
     * Looks up a bean. It is created at the first request, because a bean created as early as the rules would miss its
     * own proxies.
     */
    private <T> Supplier<T> bean(String name, Class<T> type, String text) {
        if (!names(type).contains(name)) {
            Set<String> known = new TreeSet<>(names(KeyResolver.class));
            names(KeySource.class).forEach(source -> known.add(source + ":name"));
            known.addAll(List.of("global", "ip", "principal", "session", "method"));
            known.addAll(List.of("header:name", "cookie:name", "param:name", "path:name"));
            throw new IllegalArgumentException("\"" + text + "\" is unknown. Known are " + String.join(", ", known)
                    + " and SpEL, which starts with # or @."
                    + DidYouMean.ask(type == KeySource.class ? name + ":name" : name, known));
        }
        return SingletonSupplier.of(() -> beans.getBean(name, type));
    }

    private List<String> names(Class<?> type) {
        return Arrays.asList(BeanFactoryUtils.beanNamesForTypeIncludingAncestors(beans, type, true, false));
    }

    /** Returns a resolver that names the application's bean when it fails. */
    private static KeyResolver reported(KeyResolver value, String what) {
        return context -> {
            try {
                return value.resolve(context);
            } catch (RuntimeException exception) {
                throw new RuleEvaluationException(what + " failed: " + exception, exception);
            }
        };
    }
}
