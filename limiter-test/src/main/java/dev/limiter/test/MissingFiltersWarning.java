package dev.limiter.test;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.mock.web.MockHttpServletResponse;
import org.springframework.web.servlet.HandlerInterceptor;
import org.springframework.web.servlet.config.annotation.InterceptorRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

/** Warns once if MockMvc runs without filters, because limits then behave differently from a server. */
final class MissingFiltersWarning implements WebMvcConfigurer, HandlerInterceptor {

    private static final Log logger = LogFactory.getLog(MissingFiltersWarning.class);
    private static final String INTERCEPTOR = "limiterInterceptor";

    private final BeanFactory beans;
    private volatile boolean warned;

    MissingFiltersWarning(BeanFactory beans) {
        this.beans = beans;
    }

    @Override
    public void addInterceptors(InterceptorRegistry registry) {
        registry.addInterceptor(this);
    }

    /** Recognizes missing filters by the response: the filters of Limiter would have wrapped it. */
    @Override
    public boolean preHandle(HttpServletRequest request, HttpServletResponse response, Object handler) {
        if (!warned && response instanceof MockHttpServletResponse && beans.containsBean(INTERCEPTOR)) {
            warned = true;
            logger.warn("This MockMvc does not run the filters of the application: rules with phase: request apply only"
                    + " to requests that reach an endpoint, and charge-if refunds nothing."
                    + " Build it with MockMvcTester.from(application, mvc ->"
                    + " mvc.apply(LimiterMockMvc.applicationFilters()).build()), or use @AutoConfigureMockMvc."
                    + " This is logged only once.");
        }
        return true;
    }
}
