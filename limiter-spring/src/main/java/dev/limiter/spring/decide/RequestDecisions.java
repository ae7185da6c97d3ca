package dev.limiter.spring.decide;

import dev.limiter.spring.compiled.RateLimitRule;
import dev.limiter.spring.context.RequestView;
import java.lang.reflect.Method;
import java.util.List;

/** The decisions about one request so far. Used by the threads that handle it one after the other. */
public interface RequestDecisions {

    RequestView view();

    /** Whether that method is the one that answers the request, rather than one called on the way. */
    boolean isHandler(Method method, Class<?> targetClass);

    /** Whether the handler may be decided: none was in an earlier dispatch of the request, and it is no error page. */
    boolean isHandlerOpen();

    /** The rules that have counted the request by its path, also those that only watched. */
    List<RateLimitRule> rules();

    /** Adds the decision of the annotation on the handler. Its held permits are released when the request is done. */
    void add(Verdict verdict);

    /** Settles the charges of a method called on the way, when the answer is about to be sent. Thread-safe. */
    void settleWithAnswer(Verdict verdict);
}
