package dev.limiter.spring.key;

import dev.limiter.Charge;
import dev.limiter.spring.context.RateLimitContext;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A parsed key. A resolved key consists of the values of its parts, each with type and length, so that no value can
 * imitate another part. Unresolved parts are the same for all requests: {@code header:X-Api-Key=unresolved}. Immutable,
 * thread-safe.
 */
public final class RateLimitKey {

    /** One bucket for all clients. */
    public static final RateLimitKey GLOBAL = new RateLimitKey(Charge.SHARED, List.of(), true);

    /** The key that code passes. */
    public static final RateLimitKey IN_CODE = new RateLimitKey(List.of(KeyPart.IN_CODE));

    private static final KeyPart RESOURCE =
            new KeyPart("resource", List.of(new KeyAlternative("resource", RateLimitContext::resource)));

    /** The start of a key within a resource. */
    private static final Pattern START = Pattern.compile("resource=([0-9]{1,6}):");

    private final String prefix;
    private final KeyPart[] parts;
    private final boolean forAll;
    private final @Nullable ResolvedKey constant;

    RateLimitKey(List<KeyPart> parts) {
        this("", parts, false);
    }

    private RateLimitKey(String prefix, List<KeyPart> parts, boolean forAll) {
        this.prefix = prefix;
        this.parts = parts.toArray(KeyPart[]::new);
        this.forAll = forAll;
        this.constant = parts.isEmpty() ? new ResolvedKey(prefix, "") : null;
    }

    /** Returns whether all callers share one bucket, or one for each resource. */
    public boolean isForAll() {
        return forAll;
    }

    /** Returns whether the key identifies clients. The method of a request does not. */
    public boolean tellsClientsApart() {
        return !forAll && !kinds().equals(List.of("method"));
    }

    /**
     * Returns the distinct kinds of its values: {@code ip}, {@code principal}, {@code session}, {@code
     * method}, {@code header}, {@code cookie}, {@code param}, {@code path}, {@code resource}, or {@code other} for
     * beans and expressions.
     */
    public List<String> kinds() {
        return Arrays.stream(parts).flatMap(KeyPart::kinds).distinct().toList();
    }

    /** Returns the type of each part, as in a key: {@code ip}, {@code header:x-api-key}, or {@code principal|ip}. */
    public List<String> partTypes() {
        return Arrays.stream(parts).map(KeyPart::types).toList();
    }

    /** Returns this key with a bucket for each resource. */
    public RateLimitKey perResource() {
        KeyPart[] more = new KeyPart[parts.length + 1];
        more[0] = RESOURCE;
        System.arraycopy(parts, 0, more, 1, parts.length);
        return new RateLimitKey(prefix, List.of(more), forAll);
    }

    /** Returns this key within one resource, which is not resolved for each decision. */
    public RateLimitKey within(String resource) {
        String text = textOf(resource);
        return new RateLimitKey(parts.length == 0 ? text : text + ",", List.of(parts), forAll);
    }

    /** Returns the key, if it is the same for all requests. */
    public @Nullable ResolvedKey constant() {
        return constant;
    }

    /**
     * Returns the key of a request or call. If the key has a single part, a key that code passes is its value, so code
     * shares buckets with requests. Otherwise it is a key of its own.
     *
     * @throws dev.limiter.spring.expression.RuleEvaluationException if an expression or a resolver fails
     */
    public ResolvedKey resolve(RateLimitContext context) {
        String passed = context.key();
        if (passed != null) {
            return passed(passed, context);
        }
        return constant != null ? constant : resolved(part -> part.resolve(context));
    }

    private ResolvedKey passed(String text, RateLimitContext context) {
        boolean perResource = parts.length > 0 && parts[0] == RESOURCE;
        if (text.isEmpty() || parts.length == (perResource ? 2 : 1)) {
            return resolved(part -> part == RESOURCE ? part.resolve(context) : part.passed(text));
        }
        return (perResource ? IN_CODE.perResource() : IN_CODE).passed(text, context);
    }

    /** Returns the key if no part has a value. */
    public ResolvedKey unresolved() {
        return resolved(KeyPart::unresolved);
    }

    private ResolvedKey resolved(Function<KeyPart, KeyPart.Resolved> resolution) {
        KeyPart.Resolved[] resolved = new KeyPart.Resolved[parts.length];
        for (int i = 0; i < parts.length; i++) {
            resolved[i] = resolution.apply(parts[i]);
        }
        return joined(resolved);
    }

    private ResolvedKey joined(KeyPart.Resolved[] resolved) {
        String all = "";
        String client = "";
        String other = "";
        boolean identified = false;
        boolean incomplete = false;
        String missing = null;
        for (int i = 0; i < parts.length; i++) {
            String text = resolved[i].text();
            boolean known = resolved[i].known();
            all = joined(all, text);
            if (parts[i].isOfClients()) {
                client = joined(client, text);
                identified |= known;
            } else if (parts[i] != RESOURCE) {
                other = joined(other, text);
            }
            incomplete |= !known;
            missing = missing == null && !known ? parts[i].missing(resolved[i]) : missing;
        }
        return new ResolvedKey(
                prefix.isEmpty() ? all : prefix + all,
                client.isEmpty() ? other : client,
                incomplete && !identified,
                missing);
    }

    private static String joined(String some, String more) {
        return some.isEmpty() ? more : some + "," + more;
    }

    /**
     * Returns the key for a text that an operator entered: a whole key as storages contain it, with or without hashed
     * secrets, or the value of the only part, such as an address.
     *
     * @param text null or empty if the resource is the only part
     * @param resource required where the key is {@linkplain #perResource per resource}, optional where it is
     *     {@linkplain #within within} this one; null else
     * @return empty if the text does not match this key
     */
    public Optional<ResolvedKey> ofInput(@Nullable String text, @Nullable String resource) {
        String input = text == null ? "" : text;
        ResolvedKey whole = input.isEmpty() ? null : read(input);
        if (whole != null) {
            return Optional.of(whole);
        }
        boolean perResource = parts.length > 0 && parts[0] == RESOURCE;
        int own = parts.length - (perResource ? 1 : 0);
        boolean shared = input.isEmpty() && own == 1 && parts[parts.length - 1] == KeyPart.IN_CODE;
        boolean nothing = input.isEmpty() && !shared || own == 0 && input.equals("global");
        boolean wrongResource = perResource ? resource == null : resource != null && !isWithin(resource);
        return own > 1 || (own == 0) != nothing || wrongResource
                ? Optional.empty()
                : Optional.of(resolved(part -> part.ofInput(part == RESOURCE ? String.valueOf(resource) : input)));
    }

    private boolean isWithin(String resource) {
        return prefix.equals(textOf(resource)) || prefix.equals(textOf(resource) + ",");
    }

    private static String textOf(String resource) {
        return "resource=" + resource.length() + ":" + resource;
    }

    /** Returns the resource of a whole key; null if all resources share it, or if its name is too long for a key. */
    public static @Nullable String resourceOf(String key) {
        Matcher start = START.matcher(key);
        return start.lookingAt() ? key.substring(start.end(), start.end() + Integer.parseInt(start.group(1))) : null;
    }

    /** Parses a whole key; returns null if it does not match. */
    private @Nullable ResolvedKey read(String key) {
        KeyPart.Resolved[] read = new KeyPart.Resolved[parts.length];
        int position = prefix.length();
        boolean matches = key.startsWith(prefix);
        for (int i = 0; i < parts.length && matches; i++) {
            int start = i == 0 ? position : position + 1;
            int end = i == 0 || key.startsWith(",", position) ? parts[i].end(key, start) : -1;
            matches = end >= 0;
            if (matches) {
                read[i] = parts[i].read(key.substring(start, end));
                position = end;
            }
        }
        return matches && position == key.length() ? joined(read) : null;
    }
}
