package dev.limiter.spring.autoconfigure;

import dev.limiter.spring.aop.ServletContextMethods;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.web.servlet.ServletRegistrationBean;
import org.springframework.web.servlet.FrameworkServlet;

/**
 * Has annotated methods limited in the contexts that further servlets of Spring make. A servlet that has the
 * application's own context, or one that was made before, stays as it is.
 */
final class FrameworkServletProcessor implements BeanPostProcessor {

    private final BeanFactory application;

    FrameworkServletProcessor(BeanFactory application) {
        this.application = application;
    }

    @Override
    public Object postProcessBeforeInitialization(Object bean, String name) {
        Object servlet = bean instanceof ServletRegistrationBean<?> registration ? registration.getServlet() : bean;
        if (servlet instanceof FrameworkServlet spring) {
            spring.setContextInitializers(new ServletContextMethods(application));
        }
        return bean;
    }
}
