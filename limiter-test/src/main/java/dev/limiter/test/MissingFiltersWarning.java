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

/** Says once in an application when MockMvc runs no filters: its limits do not work as they do in a server then. */
final class MissingFiltersWarning implements WebMvcConfigurer, HandlerInterceptor {

    private static final Log logger = LogFactory.getLog(MissingFiltersWarning.class);
    private static final String INTERCEPTOR = "limiterInterceptor";

    private final BeanFactory beans;
    private volatile boolean said;

    MissingFiltersWarning(BeanFactory beans) {
        this.beans = beans;
    }

    @Override
    public void addInterceptors(InterceptorRegistry registry) {
        registry.addInterceptor(this);
    }

    /** The filters of Limiter hand another response on than the one that MockMvc makes. */
    @Override
    public boolean preHandle(HttpServletRequest request, HttpServletResponse response, Object handler) {
        if (!said && response instanceof MockHttpServletResponse && beans.containsBean(INTERCEPTOR)) {
            said = true;
            logger.warn("This MockMvc runs no filters of the application: rules of phase: request decide only where"
                    + " a request comes to an endpoint, and charge-if gives nothing back."
                    + " Build it with MockMvcTester.from(application, mvc ->"
                    + " mvc.apply(LimiterMockMvc.applicationFilters()).build()), or use @AutoConfigureMockMvc."
                    + " This is said only once.");
        }
        return true;
    }
}
