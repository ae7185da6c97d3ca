package dev.limiter.spring.autoconfigure;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.Ordered;
import org.springframework.core.env.Environment;

/**
 * Has the rules file be part of the environment before anything is made of that. Without the file, there is a warning.
 */
public final class RulesFileInitializer
        implements ApplicationContextInitializer<ConfigurableApplicationContext>, Ordered {

    private static final Log logger = LogFactory.getLog(RulesFileInitializer.class);

    @Override
    public void initialize(ConfigurableApplicationContext context) {
        if (isOff(context.getEnvironment())) {
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

    /** A value that cannot be read is told with all others. */
    private static boolean isOff(Environment environment) {
        try {
            return !Binder.get(environment)
                    .bind("limiter.enabled", Boolean.class)
                    .orElse(true);
        } catch (BindException unreadable) {
            return false;
        }
    }

    @Override
    public int getOrder() {
        return Ordered.LOWEST_PRECEDENCE;
    }
}
