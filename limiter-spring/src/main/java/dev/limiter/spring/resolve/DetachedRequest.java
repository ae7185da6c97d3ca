package dev.limiter.spring.resolve;

import dev.limiter.spring.address.ClientAddress;
import dev.limiter.spring.context.RequestView;
import java.security.Principal;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A request for a resolver. The live one delegates, and records which values are read. A copy contains the values that
 * were recorded before, and can be read after the request.
 */
final class DetachedRequest implements RequestView {

    private final RequestReads reads;
    private final @Nullable RequestView live;
    private final Map<String, @Nullable Object> values = new HashMap<>();
    private boolean complete = true;

    private DetachedRequest(RequestReads reads, @Nullable RequestView live) {
        this.reads = reads;
        this.live = live;
    }

    static DetachedRequest live(RequestView request, RequestReads reads) {
        return new DetachedRequest(reads, request);
    }

    static DetachedRequest copy(RequestView request, RequestReads reads) {
        DetachedRequest copy = new DetachedRequest(reads, null);
        reads.all().forEach((what, read) -> copy.values.put(what, read.apply(request)));
        return copy;
    }

    /** Returns whether all values that were read had been recorded before. */
    boolean isComplete() {
        return complete;
    }

    @SuppressWarnings("unchecked")
    private <T> T read(String what, Function<RequestView, T> read) {
        reads.note(what, read);
        if (live != null) {
            return read.apply(live);
        }
        if (!values.containsKey(what)) {
            complete = false;
            throw new IllegalStateException("The request is over, and " + what + " was not copied; it will be copied"
                    + " from the next request");
        }
        return (T) values.get(what);
    }

    @Override
    public String method() {
        return read("method", RequestView::method);
    }

    @Override
    public String path() {
        return read("path", RequestView::path);
    }

    @Override
    public @Nullable String getHeader(String name) {
        return this.<@Nullable String>read("header " + name, request -> request.getHeader(name));
    }

    @Override
    public @Nullable String getParameter(String name) {
        return this.<@Nullable String>read("parameter " + name, request -> request.getParameter(name));
    }

    @Override
    public @Nullable String cookie(String name) {
        return this.<@Nullable String>read("cookie " + name, request -> request.cookie(name));
    }

    @Override
    public @Nullable String sessionId() {
        return this.<@Nullable String>read("session", RequestView::sessionId);
    }

    @Override
    public @Nullable String pattern() {
        return this.<@Nullable String>read("pattern", RequestView::pattern);
    }

    @Override
    public @Nullable String pathVariable(String name) {
        return this.<@Nullable String>read("path variable " + name, request -> request.pathVariable(name));
    }

    @Override
    public @Nullable Principal principal() {
        return this.<@Nullable Principal>read("principal", RequestView::principal);
    }

    @Override
    public boolean isUserInRole(String role) {
        return read("role " + role, request -> request.isUserInRole(role));
    }

    @Override
    public @Nullable String clientAddress() {
        return this.<@Nullable String>read("address", RequestView::clientAddress);
    }

    @Override
    public @Nullable ClientAddress client() {
        return this.<@Nullable ClientAddress>read("client", RequestView::client);
    }

    @Override
    public <T> @Nullable T unwrap(Class<T> type) {
        reads.needLiveRequest();
        if (live == null) {
            complete = false;
            throw new IllegalStateException("The request is over, so it cannot be unwrapped; from the next request"
                    + " on, the resolver runs within the request");
        }
        return live.unwrap(type);
    }
}
