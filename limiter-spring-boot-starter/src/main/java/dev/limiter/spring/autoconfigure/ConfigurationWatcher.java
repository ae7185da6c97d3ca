package dev.limiter.spring.autoconfigure;

import dev.limiter.spring.config.ConfiguredRules;
import dev.limiter.spring.config.LimiterConfigurationFailureAnalyzer;
import dev.limiter.spring.config.LimiterProperties;
import dev.limiter.spring.config.PropertyOrigins;
import dev.limiter.spring.failure.LimiterConfigurationException;
import dev.limiter.spring.operate.BackgroundTask;
import dev.limiter.spring.operate.LiveRules;
import dev.limiter.spring.rule.RuleDefinition;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationPropertiesBindHandlerAdvisor;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.context.SmartLifecycle;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.MutablePropertySources;
import org.springframework.core.env.PropertySource;
import org.springframework.core.env.StandardEnvironment;

/**
 * Applies rules that are configured while the application runs: those of a changed rules file, looked at four times a
 * second, and those of the environment after a refresh of Spring Cloud. Rules that cannot work change nothing and are
 * reported once, and tried again every few seconds, since another source of rules may have been in their way.
 * Thread-safe.
 */
final class ConfigurationWatcher implements SmartLifecycle {

    private static final Log logger = LogFactory.getLog(ConfigurationWatcher.class);

    /** Between two tries, in looks at the file: ten seconds. */
    private static final int LOOKS_UNTIL_RETRY = 40;

    /** The longest reason in the log, in characters. */
    private static final int LONGEST_REASON = 20_000;

    private static final Duration PERIOD = Duration.ofMillis(250);

    private final LiveRules rules;
    private final List<ConfigurationPropertiesBindHandlerAdvisor> advisors;
    private final ConfigurableEnvironment environment;
    private final Supplier<List<RuleDefinition>> sources;
    private final Runnable report;
    private final @Nullable RulesFile file;

    /** The content that was tried last; null if there is none. */
    private byte @Nullable [] content;

    /** The content at the last look: that of a file that is just being written is another one at the next. */
    private byte @Nullable [] seen;

    /** Why the last configuration could not work; null if it could, or if there is nothing to try again. */
    private @Nullable String rejected;

    private @Nullable String told;
    private int looksUntilRetry;

    private final BackgroundTask task = new BackgroundTask("limiter-rules-file", PERIOD, this::look);
    private volatile boolean running;

    /** A reload that is still under way then may fail for want of beans, which says nothing of the configuration. */
    private volatile boolean stopped;

    /**
     * @param advisors of the application, the first innermost
     * @param sources the rules that do not come from the environment
     * @param report told when other rules are in force
     */
    public ConfigurationWatcher(
            LiveRules rules,
            List<ConfigurationPropertiesBindHandlerAdvisor> advisors,
            ConfigurableEnvironment environment,
            Supplier<List<RuleDefinition>> sources,
            Runnable report) {
        this.rules = rules;
        this.advisors = List.copyOf(advisors);
        this.environment = environment;
        this.sources = sources;
        this.report = report;
        this.file = RulesFile.of(environment);
    }

    @Override
    public void start() {
        running = true;
        stopped = false;
        if (file != null) {
            task.start();
        }
    }

    /** One look at the file, and a try of what could not work. */
    synchronized void look() {
        boolean same = file == null || isUnchanged(file);
        if (same && rejected != null && --looksUntilRetry <= 0) {
            reload(content);
        }
    }

    /** Whether the file is as it was reloaded last. */
    private boolean isUnchanged(RulesFile watched) {
        byte[] read;
        try {
            read = watched.read();
        } catch (LimiterConfigurationException unreadable) {
            giveUp(String.valueOf(unreadable.getMessage()));
            return false;
        }
        if (read == null) {
            if (watched.isIn(environment.getPropertySources()) || content != null) {
                giveUp("There is no " + watched + " any more");
            }
            return false;
        }
        boolean written = Arrays.equals(read, seen);
        seen = read;
        if (Arrays.equals(read, content)) {
            return true;
        }
        if (written) {
            content = read;
            reload(read);
        }
        return false;
    }

    /** There is no content to try again. */
    private void giveUp(String reason) {
        tell(reason);
        content = null;
        rejected = null;
    }

    /** {@code next}: what to put into the environment first; null for nothing. */
    private void reload(byte @Nullable [] next) {
        ConfigurableEnvironment copy = copy();
        try {
            put(next, copy);
            ConfiguredRules configured = bind(copy);
            List<RuleDefinition> definitions = configured.with(sources.get());
            boolean changed = rules.configure(definitions, configured.defaultLimit(), configured.excluded());
            put(next, environment);
            if (changed || told != null) {
                logger.info("Rules are in force as they are configured now");
            }
            told = null;
            rejected = null;
            if (changed) {
                report.run();
            }
        } catch (LimiterConfigurationException wrong) {
            reject(text(wrong, copy, wrong));
        } catch (BindException wrong) {
            reject(
                    wrong.getCause() instanceof LimiterConfigurationException all
                            ? text(all, copy, wrong)
                            : String.valueOf(wrong.getMessage()));
        } catch (RuntimeException failure) {
            reject("A source of rules failed: " + failure);
        }
    }

    private void put(byte @Nullable [] next, ConfigurableEnvironment target) {
        if (next != null && file != null) {
            file.putInto(target.getPropertySources(), next);
        }
    }

    /** Binds the rules as on startup. */
    private ConfiguredRules bind(ConfigurableEnvironment next) {
        BindHandler handler = BindHandler.DEFAULT;
        for (ConfigurationPropertiesBindHandlerAdvisor advisor : advisors) {
            handler = advisor.apply(handler);
        }
        LimiterProperties properties =
                Binder.get(next).bindOrCreate(LimiterProperties.PREFIX, Bindable.of(LimiterProperties.class), handler);
        return new ConfiguredRules(properties, next);
    }

    private void reject(String reason) {
        rejected = reason;
        looksUntilRetry = LOOKS_UNTIL_RETRY;
        tell(reason);
    }

    private static String text(LimiterConfigurationException wrong, ConfigurableEnvironment where, Throwable cause) {
        return LimiterConfigurationFailureAnalyzer.analysis(wrong.problems(), new PropertyOrigins(where), cause)
                .getDescription();
    }

    /** Once, as long as it is the same. */
    private void tell(String whole) {
        if (stopped) {
            return;
        }
        String reason = whole.length() <= LONGEST_REASON
                ? whole
                : whole.substring(0, LONGEST_REASON) + "\n… and " + (whole.length() - LONGEST_REASON)
                        + " characters more";
        rules.configurationFailed(reason);
        if (!reason.equals(told)) {
            logger.error("Rules stay as they are, since what is configured now cannot work:\n" + reason);
        }
        told = reason;
    }

    private ConfigurableEnvironment copy() {
        ConfigurableEnvironment copy = new StandardEnvironment();
        MutablePropertySources sources = copy.getPropertySources();
        sources.stream().map(PropertySource::getName).toList().forEach(sources::remove);
        for (PropertySource<?> source : environment.getPropertySources()) {
            if (!ConfigurationPropertySources.isAttachedConfigurationPropertySource(source)) {
                sources.addLast(source);
            }
        }
        ConfigurationPropertySources.attach(copy);
        return copy;
    }

    /** The environment has changed. A rules file that could not work may do so now, and does not hold the change up. */
    synchronized void environmentChanged() {
        boolean again = rejected != null && content != null;
        reload(null);
        if (again) {
            reload(content);
        }
        if (rejected != null && running) {
            task.start();
        }
    }

    /**
     * Puts the current rules of the environment and of all sources in force.
     *
     * @throws IllegalStateException if they cannot work; all rules stay as they are
     */
    public synchronized void reload() {
        environmentChanged();
        if (rejected != null) {
            throw new IllegalStateException("The rules stay as they are: " + told);
        }
    }

    @Override
    public void stop() {
        running = false;
        stopped = true;
        task.stop();
    }

    @Override
    public boolean isRunning() {
        return running;
    }
}
