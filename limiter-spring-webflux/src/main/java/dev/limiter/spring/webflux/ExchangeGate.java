package dev.limiter.spring.webflux;

import dev.limiter.Decision;
import dev.limiter.spi.ReturningFuture;
import dev.limiter.spring.compile.RateLimitRule;
import dev.limiter.spring.compile.RuleContexts;
import dev.limiter.spring.context.RateLimitContext;
import dev.limiter.spring.decide.ApplicableRules;
import dev.limiter.spring.decide.MethodLimits.HandlerCall;
import dev.limiter.spring.decide.ReactiveVerdict;
import dev.limiter.spring.decide.RuleDecider;
import dev.limiter.spring.decide.Verdict;
import dev.limiter.spring.edge.ArrivingRequest;
import dev.limiter.spring.expression.RuleEvaluationException;
import dev.limiter.spring.failure.FailureLog;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletionException;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;

/** Decides rules about a request, and responds to it if it is rejected. Never blocks; thread-safe. */
public final class ExchangeGate {

    private final FailureLog failures = new FailureLog(LogFactory.getLog(ExchangeGate.class));
    private final RuleDecider decider;
    private final ServerRejections rejections;
    private final @Nullable ServerResourceResolver resources;

    public ExchangeGate(RuleDecider decider, ServerRejections rejections, @Nullable ServerResourceResolver resources) {
        this.decider = decider;
        this.rejections = rejections;
        this.resources = resources;
    }

    /**
     * Emits whether the request may go on; if not, the response is written. A request that waits for its turn gives it up
     * when it is cancelled.
     *
     * @param named the resource, as mapped
     */
    Mono<Boolean> permits(
            ApplicableRules rules, String named, ExchangeDecisions decisions, ServerWebExchange exchange) {
        return permits(rules, decisions, exchange, () -> {
            RateLimitContext context = context(named, decisions, exchange);
            return rule -> context;
        });
    }

    /** The same before the request is routed, when each rule names the resource in its own way. */
    Mono<Boolean> permits(ArrivingRequest arriving, ExchangeDecisions decisions, ServerWebExchange exchange) {
        return permits(ApplicableRules.of(arriving.rules()), decisions, exchange, () -> {
            Map<RateLimitRule, RateLimitContext> contexts = new HashMap<>();
            arriving.resources().forEach((rule, named) -> contexts.put(rule, context(named, decisions, exchange)));
            return rule -> Objects.requireNonNull(contexts.get(rule));
        });
    }

    /** The same for the annotations of a handler method that is about to be called. */
    Mono<Boolean> permits(HandlerCall call, ExchangeDecisions decisions, ServerWebExchange exchange) {
        return permits(call.rules().without(decisions.rules()), decisions, exchange, call::contexts);
    }

    /** Makes the contexts of the rules once the user is known. */
    @FunctionalInterface
    private interface Contexts {
        RuleContexts make();
    }

    private Mono<Boolean> permits(
            ApplicableRules rules, ExchangeDecisions decisions, ServerWebExchange exchange, Contexts contexts) {
        return rules.mayReadUser()
                ? decisions
                        .withUser(exchange)
                        .flatMap(known -> decide(rules, decisions, exchange, contexts))
                        .onErrorResume(RuntimeException.class, failure -> failed(failure, exchange))
                : decide(rules, decisions, exchange, contexts);
    }

    /** Decides at once, because the caller subscribes at once: in memory without any operator of Reactor. */
    private Mono<Boolean> decide(
            ApplicableRules rules, ExchangeDecisions decisions, ServerWebExchange exchange, Contexts contexts) {
        try {
            ReturningFuture<Verdict> deciding = decider.decideLater(rules, contexts.make());
            if (deciding.isDone()) {
                return permits(deciding.join(), decisions, exchange);
            }
            return new ReactiveVerdict(
                            () -> deciding,
                            task -> NettyConnection.scheduler(exchange.getRequest())
                                    .schedule(task))
                    .flatMap(decided -> permits(decided, decisions, exchange))
                    .onErrorResume(RuntimeException.class, failure -> failed(failure, exchange));
        } catch (RuntimeException failure) {
            return failed(failure, exchange);
        }
    }

    private Mono<Boolean> permits(Verdict verdict, ExchangeDecisions decisions, ServerWebExchange exchange) {
        decisions.addRequest(verdict);
        Decision decision = verdict.decision();
        return decision == null || decision.permitted()
                ? Mono.just(true)
                : rejections.respond(decisions, exchange, decision).thenReturn(false);
    }

    /** Never unlimited, and not for a catch-all of the application. The failure of a rule has been logged. */
    private Mono<Boolean> failed(RuntimeException thrown, ServerWebExchange exchange) {
        Throwable failure =
                thrown instanceof CompletionException && thrown.getCause() != null ? thrown.getCause() : thrown;
        if (!(failure instanceof RuleEvaluationException)) {
            StackTraceElement[] trace = failure.getStackTrace();
            String place = trace.length == 0 ? failure.getClass().getName() : trace[0].toString();
            failures.error(place, "Deciding a request failed; its response is 500", failure);
        }
        if (exchange.getResponse().isCommitted()) {
            return Mono.just(false);
        }
        exchange.getResponse().setStatusCode(HttpStatus.INTERNAL_SERVER_ERROR);
        return NettyConnection.later(exchange.getRequest(), exchange.getResponse()::setComplete)
                .thenReturn(false);
    }

    private RateLimitContext context(String named, ExchangeDecisions decisions, ServerWebExchange exchange) {
        String resource = resources == null ? named : renamed(resources, exchange, named);
        return RateLimitContext.of(decisions.view(), resource);
    }

    private static String renamed(ServerResourceResolver resources, ServerWebExchange exchange, String named) {
        String resource;
        try {
            resource = resources.resolve(exchange, named);
        } catch (RuntimeException failure) {
            throw new IllegalStateException("The ServerResourceResolver bean failed for " + named, failure);
        }
        if (resource == null) {
            throw new IllegalStateException(
                    "The ServerResourceResolver bean returned null for " + named + "; it must return a name");
        }
        return resource;
    }
}
