package dev.limiter.spring.key;

import dev.limiter.Charge;
import dev.limiter.spring.context.RateLimitContext;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The name of a bucket: the values of its parts, each with type and length, so that no value can imitate another part.
 * A part without a value is the same for all such requests, and says so: {@code header:x-api-key=unresolved}.
 * Immutable, thread-safe.
 */
public final class RateLimitKey {

    /** One bucket that all share. */
    public static final RateLimitKey GLOBAL = new RateLimitKey(Charge.SHARED, List.of(), true);

    private static final KeyPart RESOURCE =
            new KeyPart("resource", List.of(new KeyAlternative("resource", RateLimitContext::resource)), false);

    private final String prefix;
    private final KeyPart[] parts;
    private final boolean forAll;

    RateLimitKey(String prefix, List<KeyPart> parts) {
        this(prefix, parts, false);
    }

    private RateLimitKey(String prefix, List<KeyPart> parts, boolean forAll) {
        this.prefix = prefix;
        this.parts = parts.toArray(KeyPart[]::new);
        this.forAll = forAll;
    }

    /** Whether it tells callers apart by nothing, at most resources. */
    public boolean isForAll() {
        return forAll;
    }

    /** Whether it depends on the caller: the method of a request does not. */
    public boolean tellsClientsApart() {
        return !forAll && !kinds().equals(List.of("method"));
    }

    /**
     * The kinds of values that tell callers apart, each once: {@code ip}, {@code principal}, {@code session}, {@code
     * method}, {@code header}, {@code cookie}, {@code param}, {@code path}, {@code resource}, or {@code other} for
     * beans and expressions.
     */
    public List<String> kinds() {
        return Arrays.stream(parts).flatMap(KeyPart::kinds).distinct().toList();
    }

    /** This key within each resource of its own. */
    public RateLimitKey perResource() {
        KeyPart[] more = new KeyPart[parts.length + 1];
        more[0] = RESOURCE;
        System.arraycopy(parts, 0, more, 1, parts.length);
        return new RateLimitKey(prefix, List.of(more), forAll);
    }

    /** This key within one resource; what is known now need not be worked out for each decision. */
    public RateLimitKey within(String resource) {
        String text = "resource=" + resource.length() + ":" + resource;
        return new RateLimitKey(parts.length == 0 ? text : text + ",", List.of(parts), forAll);
    }

    /** The key, if it is the same for all requests. */
    public @Nullable String constant() {
        return parts.length == 0 ? prefix : null;
    }

    /**
     * The key of this request or call.
     *
     * @throws dev.limiter.spring.expression.RuleEvaluationException if an expression or a resolver fails
     */
    public String resolve(RateLimitContext context) {
        return switch (parts.length) {
            case 0 -> prefix;
            case 1 -> prefix.isEmpty() ? parts[0].encode(context) : prefix + parts[0].encode(context);
            case 2 -> prefix + parts[0].encode(context) + "," + parts[1].encode(context);
            default -> join(context);
        };
    }

    /** The key where no part has a value. */
    public String unresolved() {
        return prefix + Arrays.stream(parts).map(KeyPart::unresolved).collect(Collectors.joining(","));
    }

    /**
     * Whether a resolved key belongs to clients that it does not tell apart: some part has no value, or a shared one,
     * and no other part names a client.
     */
    public boolean isOfNobody(String key) {
        boolean nobody = false;
        int position = prefix.length();
        for (KeyPart part : parts) {
            KeyPart.Written written = part.read(key, position);
            if (written == null || written.owner() == KeyPart.Owner.CLIENT) {
                return false;
            }
            nobody |= written.owner() == KeyPart.Owner.NOBODY;
            position = written.end() + 1;
        }
        return nobody;
    }

    /**
     * The client-specific parts of a key, the same at each resource; all but the resource if there are none.
     */
    public String clientOf(String key) {
        StringBuilder clients = new StringBuilder();
        int own = prefix.length();
        int position = own;
        for (KeyPart part : parts) {
            KeyPart.Written written = part.read(key, position);
            if (written == null) {
                return key.substring(own);
            }
            if (part.isOfClients()) {
                clients.append(clients.isEmpty() ? "" : ",").append(key, position, written.end());
            }
            position = Math.min(written.end() + 1, key.length());
            own = part == RESOURCE ? position : own;
        }
        return clients.isEmpty() ? key.substring(own) : clients.toString();
    }

    /**
     * The type of each part, as it is written into a key: {@code ip}, {@code header:x-api-key}, or of one or the other.
     */
    public List<String> partTypes() {
        return Arrays.stream(parts).map(KeyPart::types).toList();
    }

    /**
     * The key that a person means: the whole of one as storages have it, but for what they hash, or the value of its
     * only part, such as an address.
     *
     * @param text null or empty if there is no part besides the resource
     * @param resource what each has a bucket of, where the key is {@linkplain #perResource per resource} or {@linkplain
     *     #within within} one
     * @return empty if more has to be said, or less
     */
    public Optional<String> of(@Nullable String text, @Nullable String resource) {
        String said = text == null ? "" : text;
        String whole = said.isEmpty() ? null : whole(said);
        if (whole != null) {
            return Optional.of(whole);
        }
        boolean perResource = parts.length > 0 && parts[0] == RESOURCE;
        int own = parts.length - (perResource ? 1 : 0);
        boolean wrongResource = perResource ? resource == null : resource != null && !isWithin(resource);
        boolean nothing = said.isEmpty() || own == 0 && said.equals("global");
        if (own > 1 || (own == 0) != nothing || wrongResource) {
            return Optional.empty();
        }
        String first = perResource ? RESOURCE.encodeSaid(String.valueOf(resource)) : "";
        String last = own == 0 ? "" : parts[parts.length - 1].encodeSaid(said);
        return Optional.of(prefix + first + (first.isEmpty() || last.isEmpty() ? "" : ",") + last);
    }

    private boolean isWithin(String resource) {
        String text = RESOURCE.encodeSaid(resource);
        return prefix.equals(text) || prefix.equals(text + ",");
    }

    /** A key that is given whole, with what may be secret as the storage has it; null if it is none of this kind. */
    private @Nullable String whole(String key) {
        if (parts.length == 0) {
            return key.equals(prefix) ? key : null;
        }
        if (!key.startsWith(prefix)) {
            return null;
        }
        StringBuilder whole = new StringBuilder(prefix);
        int position = prefix.length();
        for (int i = 0; i < parts.length; i++) {
            KeyPart.Written written = i > 0 && !key.startsWith(",", position - 1) ? null : parts[i].read(key, position);
            if (written == null) {
                return null;
            }
            whole.append(i == 0 ? "" : ",").append(parts[i].rewrite(key.substring(position, written.end())));
            position = written.end() + 1;
        }
        return position == key.length() + 1 ? whole.toString() : null;
    }

    private String join(RateLimitContext context) {
        StringBuilder key = new StringBuilder(prefix);
        for (int i = 0; i < parts.length; i++) {
            key.append(i == 0 ? "" : ",").append(parts[i].encode(context));
        }
        return key.toString();
    }
}
