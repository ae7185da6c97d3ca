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
 * Applies changed rules at run time: from the rules file, checked four times a second, and from the environment after a
 * refresh by Spring Cloud. Invalid rules change nothing and are logged once. They are retried every ten seconds,
 * because they may only conflict with another source. Thread-safe.
 */
final class ConfigurationWatcher implements SmartLifecycle {

    private static final Log logger = LogFactory.getLog(ConfigurationWatcher.class);

    /** Ten seconds, as a number of checks of the file. */
    private static final int LOOKS_UNTIL_RETRY = 40;

    /** In characters. */
    private static final int LONGEST_REASON = 20_000;

    private static final Duration PERIOD = Duration.ofMillis(250);

    private final LiveRules rules;
    private final List<ConfigurationPropertiesBindHandlerAdvisor> advisors;
    private final ConfigurableEnvironment environment;
    private final Supplier<List<RuleDefinition>> sources;
    private final Runnable report;
    private final @Nullable RulesFile file;

    /** The content of the last reload; null if there was none. */
    private byte @Nullable [] content;

    /** The content at the last check. A file is reloaded only after two equal reads: it may just be being written. */
    private byte @Nullable [] seen;

    /** Why the last configuration was rejected; null if there is nothing to retry. */
    private @Nullable String rejected;

    private @Nullable String reported;
    private int looksUntilRetry;

    private final BackgroundTask task = new BackgroundTask("limiter-rules-file", PERIOD, this::look);
    private volatile boolean running;

    /** Suppresses errors of a reload during shutdown, which may fail because beans are already gone. */
    private volatile boolean stopped;

    /**
     * @param advisors the binding advisors of the application, innermost first
     * @param sources the rules from other sources than the environment
     * @param report runs after the rules have changed
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

    /** Checks the file, and retries rejected rules. */
    synchronized void look() {
        boolean same = file == null || isUnchanged(file);
        if (same && rejected != null && --looksUntilRetry <= 0) {
            reload(content);
        }
    }

    /** Reads the file and reloads it if it has changed. Returns whether it is unchanged since the last reload. */
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
                giveUp("The file " + watched + " no longer exists");
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

    /** Reports a problem without a retry, because there is no content. */
    private void giveUp(String reason) {
        logOnce(reason);
        content = null;
        rejected = null;
    }

    /** @param next new content of the rules file; null to leave it as it is */
    private void reload(byte @Nullable [] next) {
        ConfigurableEnvironment copy = copy();
        try {
            put(next, copy);
            ConfiguredRules configured = bind(copy);
            List<RuleDefinition> definitions = configured.with(sources.get());
            boolean changed = rules.configure(definitions, configured.defaultLimit(), configured.excluded());
            put(next, environment);
            if (changed || reported != null) {
                logger.info("Applied the current configuration of rules");
            }
            reported = null;
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
        logOnce(reason);
    }

    private static String text(LimiterConfigurationException wrong, ConfigurableEnvironment where, Throwable cause) {
        return LimiterConfigurationFailureAnalyzer.analysis(wrong.problems(), new PropertyOrigins(where), cause)
                .getDescription();
    }

    /** Logs a reason unless it is the same as before. */
    private void logOnce(String whole) {
        if (stopped) {
            return;
        }
        String reason = whole.length() <= LONGEST_REASON
                ? whole
                : whole.substring(0, LONGEST_REASON) + "\n… and " + (whole.length() - LONGEST_REASON)
                        + " more characters";
        rules.configurationFailed(reason);
        if (!reason.equals(reported)) {
            logger.error("The configured rules are invalid; the previous rules stay in force:\n" + reason);
        }
        reported = reason;
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

    /** Applies a changed environment, then retries a rejected rules file, which may be valid now. */
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
     * Applies the current rules of the environment and of all sources.
     *
     * @throws IllegalStateException if they are invalid; the previous rules stay in force
     */
    public synchronized void reload() {
        environmentChanged();
        if (rejected != null) {
            throw new IllegalStateException("The previous rules stay in force: " + reported);
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
