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
 * Adds the rules file to the environment before any bean is created. Logs a warning if the file does not exist.
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
            logger.warn("The limiter.rules-file " + file + " does not exist. Its rules apply once it is created.");
        } else {
            file.putInto(context.getEnvironment().getPropertySources(), content);
        }
    }

    /** An unreadable value counts as on; binding reports it later, with all other problems. */
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
