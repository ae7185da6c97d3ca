package dev.limiter.spring.webflux;

import dev.limiter.spring.context.RequestView;
import dev.limiter.spring.decide.RequestDecisions;
import dev.limiter.spring.decide.RuleDecider;
import dev.limiter.spring.decide.Verdict;
import dev.limiter.spring.response.FieldSink;
import dev.limiter.spring.response.PolicyTexts;
import java.lang.reflect.Method;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.reactive.HandlerMapping;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;

/**
 * The decisions about a WebFlux request, kept in an attribute of the exchange: the exchange itself is wrapped again on its
 * way to the handler. Thread-safe where it has to be: the end of a request may come while a decision is under way.
 */
final class ExchangeDecisions extends RequestDecisions {

    private static final Log logger = LogFactory.getLog(ExchangeDecisions.class);

    private static final String ATTRIBUTE = ExchangeDecisions.class.getName();

    /** A {@code List<String>} for handlers and routes: the rules in shadow mode that would have rejected the request. */
    private static final String EXCEEDED = "dev.limiter.exceeded";

    private static final int REDIRECT = 300;
    private static final int CLIENT_ERROR = 400;

    private final ServerWebExchange exchange;
    private final Map<String, String> fields = Collections.synchronizedMap(new LinkedHashMap<>(4));
    private volatile ExchangeView view;
    private boolean closed;
    private boolean inSession;

    ExchangeDecisions(ServerWebExchange exchange, ExchangeView view, PolicyTexts texts) {
        super(texts);
        this.exchange = exchange;
        this.view = view;
        exchange.getAttributes().put(ATTRIBUTE, this);
    }

    static @Nullable ExchangeDecisions of(ServerWebExchange exchange) {
        return exchange.getAttribute(ATTRIBUTE);
    }

    @Override
    public RequestView view() {
        return view;
    }

    /** Reads the user and the session of the request. Reads them again until there is a user, who logs in later. */
    Mono<ExchangeDecisions> withUser(ServerWebExchange current) {
        return view.principal() != null
                ? Mono.just(this)
                : ExchangeUser.of(current).map(user -> {
                    view = view.with(current, user);
                    return this;
                });
    }

    @Override
    public boolean isHandler(Method method, Class<?> targetClass) {
        Object mapped = exchange.getAttribute(HandlerMapping.BEST_MATCHING_HANDLER_ATTRIBUTE);
        if (!(mapped instanceof HandlerMethod handler)) {
            return false;
        }
        Method handling = handler.getMethod();
        return handling.equals(method)
                || handling.getName().equals(method.getName())
                        && handling.getDeclaringClass().isAssignableFrom(targetClass)
                        && AopUtils.getMostSpecificMethod(handling, targetClass).equals(method);
    }

    @Override
    public boolean isHandlerOpen() {
        return true;
    }

    @Override
    public synchronized void addRequest(Verdict verdict) {
        if (closed) {
            verdict.giveBack();
        } else {
            super.addRequest(verdict);
        }
    }

    @Override
    public synchronized void add(Verdict verdict) {
        if (closed) {
            verdict.giveBack();
        } else {
            super.add(verdict);
        }
    }

    /** Fields wait for the commit of the response. */
    @Override
    protected FieldSink fields() {
        return fields::put;
    }

    @Override
    protected void changed() {
        // written once, before the commit
    }

    @Override
    protected void exceeded(List<String> rules) {
        exchange.getAttributes().put(EXCEEDED, rules);
    }

    /** Settles the charges that depend on the response, and writes the fields. Never fails: that would be a 500. */
    Mono<Void> beforeCommit(RuleDecider decider) {
        try {
            if (settle(new ExchangeResponseView(exchange.getResponse()))) {
                return NettyConnection.goOn(exchange.getRequest(), writeReturned(decider::peekLater))
                        .onErrorResume(failure -> {
                            warn(failure);
                            return Mono.empty();
                        })
                        .then(Mono.fromRunnable(this::writeFields));
            }
        } catch (RuntimeException failure) {
            warn(failure);
        }
        writeFields();
        return Mono.empty();
    }

    private static void warn(Throwable failure) {
        logger.warn("The RateLimit fields of a response do not include what was refunded", failure);
    }

    /** A redirect gets no fields: clients without remaining permits would wait before they follow it. */
    private void writeFields() {
        int status = new ExchangeResponseView(exchange.getResponse()).status();
        if (!fields.isEmpty() && (status < REDIRECT || status >= CLIENT_ERROR)) {
            fields.forEach(exchange.getResponse().getHeaders()::set);
            CrossOriginFields.expose(exchange.getResponse(), fields.keySet());
        }
    }

    /** The request goes on as a WebSocket session, and ends with it. */
    synchronized void beginSession() {
        inSession = true;
    }

    /** The handshake, or the whole request, is over. */
    void finish() {
        boolean over;
        synchronized (this) {
            over = !inSession;
        }
        if (over) {
            close();
        }
    }

    @Override
    public void close() {
        synchronized (this) {
            closed = true;
        }
        if (exchange.getResponse().isCommitted()) {
            // the charges of methods that were called while the response was under way
            settle(new ExchangeResponseView(exchange.getResponse()));
        }
        super.close();
    }
}
