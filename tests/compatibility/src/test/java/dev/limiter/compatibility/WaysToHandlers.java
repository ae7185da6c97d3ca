package dev.limiter.compatibility;

import dev.limiter.spring.annotation.RateLimiter;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.RequestDispatcher;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.lang.reflect.Method;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.boot.web.servlet.ServletRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.stereotype.Controller;
import org.springframework.util.ReflectionUtils;
import org.springframework.web.HttpRequestHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseBody;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.request.WebRequest;
import org.springframework.web.context.support.AnnotationConfigWebApplicationContext;
import org.springframework.web.servlet.DispatcherServlet;
import org.springframework.web.servlet.HandlerMapping;
import org.springframework.web.servlet.config.annotation.ViewControllerRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;
import org.springframework.web.servlet.handler.SimpleUrlHandlerMapping;
import org.springframework.web.socket.config.annotation.EnableWebSocket;
import org.springframework.web.socket.config.annotation.WebSocketConfigurer;
import org.springframework.web.socket.config.annotation.WebSocketHandlerRegistry;
import org.springframework.web.socket.handler.AbstractWebSocketHandler;

/** All kinds of handlers, and filters that dispatch requests to them. */
@Configuration(proxyBeanMethods = false)
@EnableWebSocket
class WaysToHandlers implements WebMvcConfigurer, WebSocketConfigurer {

    @Override
    public void addViewControllers(ViewControllerRegistry registry) {
        registry.addStatusController("/controlled", HttpStatus.NO_CONTENT);
    }

    @Override
    public void registerWebSocketHandlers(WebSocketHandlerRegistry registry) {
        registry.addHandler(new AbstractWebSocketHandler() {}, "/socket").setAllowedOrigins("*");
        registry.addHandler(new AbstractWebSocketHandler() {}, "/sockjs")
                .setAllowedOrigins("*")
                .withSockJS();
    }

    static HttpRequestHandler answering(String text) {
        return (request, response) -> response.getWriter().write(text);
    }

    @Bean("/bean-name")
    HttpRequestHandler byBeanName() {
        return answering("bean");
    }

    @Bean
    HandlerMapping own() {
        return new SimpleUrlHandlerMapping(Map.of("/own/**", answering("own")), 0);
    }

    @Bean
    ServletRegistrationBean<HttpServlet> servlet() {
        return new ServletRegistrationBean<>(
                new HttpServlet() {
                    @Override
                    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
                        response.getWriter().write("servlet");
                    }
                },
                "/servlet");
    }

    @Bean
    ServletRegistrationBean<DispatcherServlet> second() {
        AnnotationConfigWebApplicationContext context = new AnnotationConfigWebApplicationContext();
        context.register(SecondServlet.class);
        ServletRegistrationBean<DispatcherServlet> registration =
                new ServletRegistrationBean<>(new DispatcherServlet(context), "/second/*");
        registration.setName("second");
        return registration;
    }

    @Bean
    FilterRegistrationBean<Filter> outer() {
        return dispatching("/outer", -1000);
    }

    @Bean
    FilterRegistrationBean<Filter> inner() {
        return dispatching("/inner", 1000);
    }

    private static FilterRegistrationBean<Filter> dispatching(String prefix, int order) {
        FilterRegistrationBean<Filter> registration = new FilterRegistrationBean<>(new Dispatching(prefix));
        registration.setName("dispatching" + order);
        registration.addUrlPatterns(prefix + "/*");
        registration.setOrder(order);
        return registration;
    }

    /** Dispatches requests with a prefix to the rest of their path. */
    private record Dispatching(String prefix) implements Filter {

        @Override
        public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
                throws IOException, ServletException {
            String[] path = ((HttpServletRequest) request)
                    .getRequestURI()
                    .substring(prefix.length() + 1)
                    .split("/", 2);
            switch (path[0]) {
                case "forward" -> request.getRequestDispatcher("/" + path[1]).forward(request, response);
                case "include" -> {
                    response.getOutputStream().print("before ");
                    request.getRequestDispatcher("/" + path[1]).include(request, response);
                    response.getOutputStream().print(" after");
                }
                case "async" -> request.startAsync().dispatch("/" + path[1]);
                case "error" -> ((HttpServletResponse) response).sendError(418);
                default -> chain.doFilter(request, response);
            }
        }
    }

    @Controller
    static class Handlers {

        @GetMapping("/include")
        void include(HttpServletRequest request, HttpServletResponse response) throws ServletException, IOException {
            RequestDispatcher plain = request.getRequestDispatcher("/plain");
            plain.include(request, response);
        }

        @GetMapping("/async/complete")
        void complete(HttpServletRequest request, HttpServletResponse response) {
            AsyncContext async = request.startAsync(request, response);
            new Thread(async::complete).start();
        }

        @GetMapping("/async/dispatch")
        void dispatch(HttpServletRequest request, HttpServletResponse response) {
            if (request.getDispatcherType() == DispatcherType.REQUEST) {
                request.startAsync(request, response).dispatch("/plain");
            }
        }

        @GetMapping("/async/throw")
        void startAndThrow(HttpServletRequest request) {
            request.startAsync();
            throw new IllegalStateException("failed on purpose");
        }

        @GetMapping("/sent")
        void sent(@RequestParam(defaultValue = "/elsewhere") String to, HttpServletResponse response)
                throws IOException {
            response.sendRedirect(to);
        }

        /** Uses the method of Servlet 6.1 if available. */
        @GetMapping("/sent-303")
        @Nullable
        ResponseEntity<Void> seeOther(
                @RequestParam(defaultValue = "/elsewhere") String to, HttpServletResponse response)
                throws ReflectiveOperationException {
            Method send =
                    ReflectionUtils.findMethod(HttpServletResponse.class, "sendRedirect", String.class, int.class);
            if (send == null) {
                return ResponseEntity.status(303).header("Location", to).build();
            }
            send.invoke(response, to, 303);
            return null;
        }

        @GetMapping("/unchanged")
        @ResponseBody
        @Nullable
        String unchanged(WebRequest request) {
            return request.checkNotModified("1") ? null : "changed";
        }
    }

    static class Base {

        @GetMapping("/inherited")
        String inherited() {
            return "served";
        }
    }

    /** Its annotation applies to all endpoints, whatever the visibility of their methods. */
    @RestController
    @RateLimiter(limit = 2, window = "1h")
    static class Limited extends Base {

        @GetMapping("/public")
        public String ofPublic() {
            return helper();
        }

        @GetMapping("/package-private")
        String ofPackage() {
            return helper();
        }

        @GetMapping("/protected")
        protected String ofProtected() {
            return helper();
        }

        String helper() {
            return "served";
        }
    }

    interface Contract {

        String contracted();
    }

    @RestController
    static class ContractedController implements Contract {

        @Override
        @RateLimiter(limit = 2, window = "1h")
        @GetMapping("/contracted")
        public String contracted() {
            return "served";
        }
    }
}
