package dev.limiter.spring.decide;

import dev.limiter.spring.context.RequestView;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.util.Map;

/** Requests that have only headers. */
public final class HeadersOnly {

    private HeadersOnly() {}

    public static RequestView of(Map<String, String> headers) {
        return (RequestView) Proxy.newProxyInstance(
                RequestView.class.getClassLoader(), new Class<?>[] {RequestView.class}, (proxy, method, arguments) -> {
                    if (method.isDefault()) {
                        return InvocationHandler.invokeDefault(proxy, method, arguments);
                    }
                    return switch (method.getName()) {
                        case "getHeader" -> headers.get(arguments[0]);
                        case "method" -> "GET";
                        case "path" -> "/test";
                        case "isUserInRole" -> false;
                        default -> null;
                    };
                });
    }
}
