package dev.limiter.spring.web.route;

import java.lang.reflect.Method;
import java.util.Map;
import java.util.stream.Stream;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.support.StaticListableBeanFactory;
import org.springframework.mock.web.MockServletContext;
import org.springframework.util.ClassUtils;
import org.springframework.web.bind.annotation.RequestMethod;
import org.springframework.web.context.support.StaticWebApplicationContext;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.HandlerMapping;
import org.springframework.web.servlet.handler.SimpleUrlHandlerMapping;
import org.springframework.web.servlet.mvc.method.RequestMappingInfo;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerMapping;

/** Creates mappings of Spring MVC. */
public final class TestMappings {

    /** The method that handles all endpoints of {@link #annotated}. */
    public static final Method HANDLER = ClassUtils.getMethod(Object.class, "toString");

    private static final Object BEAN = new Object();

    private TestMappings() {}

    /**
     * Returns a mapping of endpoints such as {@code GET /orders/{id}}; without a method, such as {@code /orders}, for
     * all methods.
     */
    public static RequestMappingHandlerMapping annotated(String... endpoints) {
        RequestMappingHandlerMapping mapping = new RequestMappingHandlerMapping();
        for (String endpoint : endpoints) {
            add(mapping, endpoint, BEAN, HANDLER);
        }
        return mapping;
    }

    /** Maps an endpoint to a method of {@code handler}. */
    public static void add(RequestMappingHandlerMapping mapping, String endpoint, Object handler, Method method) {
        String[] parts = endpoint.split(" ");
        RequestMethod[] methods = Stream.of(parts)
                .limit(parts.length - 1L)
                .map(RequestMethod::valueOf)
                .toArray(RequestMethod[]::new);
        mapping.registerMapping(
                RequestMappingInfo.paths(parts[parts.length - 1])
                        .methods(methods)
                        .options(mapping.getBuilderConfiguration())
                        .build(),
                handler,
                method);
    }

    /** Returns the mapped handler. */
    public static HandlerMethod handler() {
        return new HandlerMethod(BEAN, HANDLER);
    }

    /** Returns a mapping of patterns to handlers. */
    public static SimpleUrlHandlerMapping urls(Map<String, ?> handlers) {
        SimpleUrlHandlerMapping mapping = new SimpleUrlHandlerMapping(handlers);
        mapping.setApplicationContext(application());
        return mapping;
    }

    /** Returns an application with these mappings. */
    public static StaticWebApplicationContext application(HandlerMapping... mappings) {
        StaticWebApplicationContext context = new StaticWebApplicationContext();
        context.setServletContext(new MockServletContext());
        for (int i = 0; i < mappings.length; i++) {
            context.getBeanFactory().registerSingleton("mapping" + i, mappings[i]);
        }
        return context;
    }

    @SafeVarargs
    public static <T extends HandlerMapping> ObjectProvider<T> provider(Class<T> type, T... mappings) {
        StaticListableBeanFactory beans = new StaticListableBeanFactory();
        for (int i = 0; i < mappings.length; i++) {
            beans.addBean("mapping" + i, mappings[i]);
        }
        return beans.getBeanProvider(type);
    }
}
