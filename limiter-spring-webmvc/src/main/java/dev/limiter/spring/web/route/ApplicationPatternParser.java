package dev.limiter.spring.web.route;

import java.util.function.Supplier;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.web.util.pattern.PathPatternParser;

/**
 * The parser that Spring MVC reads the application's own patterns with, so that the paths of rules match as requests
 * are routed: {@code WebMvcConfigurer.configurePathMatch} may have made it overlook case. Not asked for before it is
 * needed: rules are compiled earlier than what configures Spring MVC should be made.
 */
public final class ApplicationPatternParser implements Supplier<PathPatternParser> {

    private static final String BEAN = "mvcPatternParser";

    private final BeanFactory beans;

    public ApplicationPatternParser(BeanFactory beans) {
        this.beans = beans;
    }

    @Override
    public PathPatternParser get() {
        return beans.containsBean(BEAN)
                ? beans.getBean(BEAN, PathPatternParser.class)
                : PathPatternParser.defaultInstance;
    }
}
