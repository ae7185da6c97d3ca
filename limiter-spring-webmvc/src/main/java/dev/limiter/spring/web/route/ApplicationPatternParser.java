package dev.limiter.spring.web.route;

import java.util.function.Supplier;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.web.util.pattern.PathPatternParser;

/**
 * Provides Spring MVC's parser for the application's patterns, so that paths of rules match like routing does, for
 * example case-insensitively. It is looked up lazily, because rules are compiled before the beans that configure Spring
 * MVC should be created.
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
