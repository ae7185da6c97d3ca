package dev.limiter.spring.webflux;

import dev.limiter.spring.address.ClientAddress;
import dev.limiter.spring.address.ClientAddresses;
import dev.limiter.spring.context.RequestView;
import java.security.Principal;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpCookie;
import org.springframework.web.reactive.HandlerMapping;
import org.springframework.web.server.ServerWebExchange;

/**
 * A view of a WebFlux request. Reads values when they are needed; parameters are those of the query, because reading a
 * form would wait for the body. Not thread-safe.
 */
final class ExchangeView implements RequestView {

    private final ServerWebExchange exchange;
    private final ClientAddresses addresses;
    private final ExchangeUser user;
    private @Nullable String clientAddress;

    ExchangeView(ServerWebExchange exchange, ClientAddresses addresses, ExchangeUser user) {
        this.exchange = exchange;
        this.addresses = addresses;
        this.user = user;
    }

    /** The same request once its user is known. */
    ExchangeView with(ServerWebExchange current, ExchangeUser known) {
        ExchangeView view = new ExchangeView(current, addresses, known);
        view.clientAddress = clientAddress;
        return view;
    }

    @Override
    public String method() {
        return exchange.getRequest().getMethod().name();
    }

    @Override
    public String path() {
        return exchange.getRequest().getPath().pathWithinApplication().value();
    }

    @Override
    public @Nullable String getHeader(String name) {
        return exchange.getRequest().getHeaders().getFirst(name);
    }

    @Override
    public @Nullable String getParameter(String name) {
        return exchange.getRequest().getQueryParams().getFirst(name);
    }

    @Override
    public @Nullable String cookie(String name) {
        HttpCookie cookie = exchange.getRequest().getCookies().getFirst(name);
        return cookie == null ? null : cookie.getValue();
    }

    @Override
    public @Nullable String sessionId() {
        return user.sessionId();
    }

    @Override
    public @Nullable String pattern() {
        Object pattern = exchange.getAttribute(HandlerMapping.BEST_MATCHING_PATTERN_ATTRIBUTE);
        return pattern == null ? null : pattern.toString();
    }

    @Override
    public @Nullable String pathVariable(String name) {
        Map<String, String> variables = exchange.getAttribute(HandlerMapping.URI_TEMPLATE_VARIABLES_ATTRIBUTE);
        return variables == null ? null : variables.get(name);
    }

    @Override
    public @Nullable Principal principal() {
        return user.principal();
    }

    @Override
    public boolean isUserInRole(String role) {
        return user.hasRole(role);
    }

    @Override
    public @Nullable String clientAddress() {
        if (clientAddress == null) {
            clientAddress = addresses.of(new ExchangeSender(exchange.getRequest()));
        }
        return clientAddress;
    }

    @Override
    public @Nullable ClientAddress client() {
        return addresses.find(new ExchangeSender(exchange.getRequest()));
    }

    @Override
    public <T> @Nullable T unwrap(Class<T> type) {
        if (type.isInstance(exchange)) {
            return type.cast(exchange);
        }
        if (type.isInstance(exchange.getRequest())) {
            return type.cast(exchange.getRequest());
        }
        Object connected = NettyConnection.unwrapped(exchange.getRequest());
        return type.isInstance(connected) ? type.cast(connected) : null;
    }
}
