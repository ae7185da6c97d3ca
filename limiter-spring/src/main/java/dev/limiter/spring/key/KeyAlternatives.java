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
import java.util.LinkedHashSet;
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

/** The alternatives of a part of a key: values of the request, beans, expressions. */
public final class KeyAlternatives {

    private static final int MAX_TYPE_LENGTH = 64;
    private static final String TOKEN_SYMBOLS = "!#$%&'*+-.^_`|~";
    private static final Set<String> METHODS = Set.of("GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE");

    private final ListableBeanFactory beans;
    private final LimiterExpressionParser expressions;
    private final SecretValues secrets;
    private final AddressSettings addresses;

    /**
     * @param secrets how values are kept that may be secrets: of headers, cookies, parameters, sessions, and what the
     *     application works out itself
     * @param addresses how clients are told apart by them
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
     * @throws IllegalArgumentException if there is nothing of that name
     */
    KeyAlternative parse(String text, String where, ExpressionScope scope) {
        if (text.startsWith("#") || text.startsWith("@")) {
            return expression(text, where, scope);
        }
        int colon = text.indexOf(':');
        if (colon >= 0) {
            return named(
                    text.substring(0, colon).strip(), text.substring(colon + 1).strip(), text, where, scope);
        }
        return switch (text) {
            case "global" -> new KeyAlternative(text, context -> text, text, UnaryOperator.identity());
            case "ip" ->
                new KeyAlternative(
                        text, valueOf(RequestView::clientAddress), ClientAddresses.CONTRADICTORY, addresses::client);
            case "principal" -> principal(text, scope);
            case "session" -> secret(text, RequestView::sessionId);
            case "method" -> ofRequest(text, KeyAlternatives::method);
            default -> bean(text, where);
        };
    }

    /** The type that tells the values of one alternative from those of others: its text, unless that is long. */
    static String type(String text) {
        return text.length() <= MAX_TYPE_LENGTH ? text : TextDigest.of(text);
    }

    /** Whether it is about clients, rather than about what they use. */
    static boolean tellsClientsApart(String text) {
        return !text.matches("global|method|path\\s*:.*");
    }

    /** Whether a part of the type {@code one} has a value for each request for which {@code other} has one. */
    static boolean hasValueWherever(String one, String other) {
        return one.equals("global")
                || one.equals("method")
                        && other.matches("ip|principal|session|method|(header|cookie|param|path)\\s*:.*");
    }

    private KeyAlternative named(String kind, String name, String text, String where, ExpressionScope scope) {
        return switch (kind) {
            case "header" ->
                secret("header:" + token(name, text).toLowerCase(Locale.ROOT), request -> request.getHeader(name));
            case "cookie" -> secret("cookie:" + token(name, text), request -> request.cookie(name));
            case "param" -> secret(type("param:" + unquoted(name, text)), request -> request.getParameter(name));
            case "path" -> pathVariable(name, text, scope);
            default -> source(kind, notEmpty(name, text), text, where);
        };
    }

    private static KeyAlternative pathVariable(String name, String text, ExpressionScope scope) {
        scope.checkRequest("pathVariable");
        return ofRequest(type("path:" + unquoted(name, text)), request -> request.pathVariable(name));
    }

    private static KeyAlternative principal(String text, ExpressionScope scope) {
        scope.checkRequest("principal");
        return ofRequest(text, KeyAlternatives::principal);
    }

    private static KeyAlternative ofRequest(String type, Function<RequestView, @Nullable String> value) {
        return new KeyAlternative(type, valueOf(value));
    }

    private KeyAlternative secret(String type, Function<RequestView, @Nullable String> value) {
        return new KeyAlternative(type, valueOf(value), secrets);
    }

    private static KeyValue valueOf(Function<RequestView, @Nullable String> value) {
        return context -> {
            RequestView request = context.request();
            return request == null ? null : value.apply(request);
        };
    }

    private static @Nullable String principal(RequestView request) {
        Principal principal = request.principal();
        return principal == null ? null : principal.getName();
    }

    /** HEAD counts as GET, and unknown methods as one: a client that invents methods must not get a bucket for each. */
    private static String method(RequestView request) {
        String method = request.method();
        return METHODS.contains(method) ? method : method.equals("HEAD") ? "GET" : "*";
    }

    private static String token(String name, String text) {
        unquoted(name, text);
        if (!name.chars().allMatch(c -> c < 128 && (Character.isLetterOrDigit(c) || TOKEN_SYMBOLS.indexOf(c) >= 0))) {
            throw new IllegalArgumentException("\"" + text + "\" has a name that no header or cookie can have");
        }
        return name;
    }

    /** Apostrophes are characters of a token, but a name between two of them is hardly meant to have them. */
    private static String unquoted(String name, String text) {
        if (notEmpty(name, text).matches("(['\"`]).*\\1")) {
            throw new IllegalArgumentException("write the name in \"" + text + "\" without quotes of its own");
        }
        return name;
    }

    private static String notEmpty(String name, String text) {
        if (name.isEmpty()) {
            throw new IllegalArgumentException("\"" + text + "\" lacks a name after the colon");
        }
        return name;
    }

    private KeyAlternative expression(String text, String where, ExpressionScope scope) {
        LimiterExpression expression = expressions.parse(text, where, scope);
        if (expression.isNever(Object.class)) {
            throw expression.problem("This is always null, so that all requests would share one bucket.");
        }
        if (expression.isWhole()) {
            throw expression.problem("This says nothing that tells requests apart. Write something of it, such as "
                    + (text.contains("@") ? text.strip() + ".planOf(#request)" : "#request.path"));
        }
        KeyValue value = context -> {
            try {
                return KeyText.of(expression.evaluate(context));
            } catch (IllegalArgumentException exception) {
                throw new RuleEvaluationException(expression + " " + exception.getMessage(), exception);
            }
        };
        return new KeyAlternative(type(text), value, secrets);
    }

    private KeyAlternative bean(String name, String where) {
        Set<String> names = names(KeyResolver.class);
        if (!names.contains(name)) {
            throw new IllegalArgumentException("\"" + name + "\" is unknown; there are global, ip, principal, session,"
                    + " method, header:name, cookie:name, param:name, path:name, "
                    + (names.isEmpty() ? "no KeyResolver beans" : "the KeyResolver beans " + names)
                    + " and SpEL, which starts with # or @."
                    + suggestion(name, names));
        }
        Supplier<KeyResolver> resolver = later(name, KeyResolver.class);
        KeyValue value = context -> resolver.get().resolve(context);
        return new KeyAlternative(name, reported(value, "KeyResolver \"" + name + "\" (" + where + ")"), secrets);
    }

    private KeyAlternative source(String kind, String name, String text, String where) {
        Set<String> prefixes = new LinkedHashSet<>(List.of("header:", "cookie:", "param:", "path:"));
        names(KeySource.class).forEach(source -> prefixes.add(source + ":"));
        if (!prefixes.contains(kind + ":")) {
            throw new IllegalArgumentException("\"" + text + "\" is unknown; with a name there are "
                    + String.join(", ", prefixes) + " and KeySource beans by their names."
                    + DidYouMean.ask(kind + ":", prefixes));
        }
        Supplier<KeySource> source = later(kind, KeySource.class);
        KeyValue value = context -> source.get().resolve(name, context);
        return new KeyAlternative(
                type(kind + ":" + name), reported(value, "KeySource \"" + kind + "\" (" + where + ")"), secrets);
    }

    private Set<String> names(Class<?> type) {
        return new TreeSet<>(
                Arrays.asList(BeanFactoryUtils.beanNamesForTypeIncludingAncestors(beans, type, true, false)));
    }

    /** Not before the first request: rules are needed early, and a bean made that early misses its own proxies. */
    private <T> Supplier<T> later(String name, Class<T> type) {
        return SingletonSupplier.of(() -> beans.getBean(name, type));
    }

    private String suggestion(String name, Set<String> beans) {
        Set<String> names = new TreeSet<>(beans);
        names.addAll(List.of("global", "ip", "principal", "session", "method"));
        names.addAll(List.of("header:name", "cookie:name", "param:name", "path:name"));
        names(KeySource.class).forEach(source -> names.add(source + ":name"));
        return DidYouMean.ask(name, names);
    }

    /** A failure of the application's own code names that code. */
    private static KeyValue reported(KeyValue value, String what) {
        return context -> {
            try {
                return value.of(context);
            } catch (RuntimeException exception) {
                throw new RuleEvaluationException(what + " failed: " + exception, exception);
            }
        };
    }
}
