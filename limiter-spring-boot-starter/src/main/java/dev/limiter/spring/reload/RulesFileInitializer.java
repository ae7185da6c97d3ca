package dev.limiter.spring.reload;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.Ordered;

/**
 * Has the rules file be part of the environment before anything is made of that. Without the file, there is a warning.
 */
public final class RulesFileInitializer
        implements ApplicationContextInitializer<ConfigurableApplicationContext>, Ordered {

    private static final Log logger = LogFactory.getLog(RulesFileInitializer.class);

    @Override
    public void initialize(ConfigurableApplicationContext context) {
        if (!context.getEnvironment().getProperty("limiter.enabled", Boolean.class, true)) {
            return;
        }
        RulesFile file = RulesFile.of(context.getEnvironment());
        if (file == null) {
            return;
        }
        byte[] content = file.read();
        if (content == null) {
            logger.warn("There is no " + file
                    + ", which limiter.rules-file names. Its rules are in force as soon as there is.");
        } else {
            file.putInto(context.getEnvironment().getPropertySources(), content);
        }
    }

    @Override
    public int getOrder() {
        return Ordered.LOWEST_PRECEDENCE;
    }
}
