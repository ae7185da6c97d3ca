package dev.limiter.spring.reload;

import dev.limiter.spring.background.BackgroundTask;
import dev.limiter.spring.config.ConfiguredRules;
import dev.limiter.spring.config.LimiterConfigurationFailureAnalyzer;
import dev.limiter.spring.config.PropertyOrigins;
import dev.limiter.spring.failure.LimiterConfigurationException;
import dev.limiter.spring.operate.LiveRules;
import dev.limiter.spring.rule.RuleDefinition;
import dev.limiter.spring.rule.RuleSource;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.context.SmartLifecycle;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.MutablePropertySources;
import org.springframework.core.env.PropertySource;
import org.springframework.core.env.StandardEnvironment;

/**
 * Applies rules that are configured while the application runs: those of a changed rules file, looked at four times a
 * second, and those of the environment after a refresh of Spring Cloud. Rules that cannot work change nothing and are
 * reported once. They are tried again with the next change at the endpoint, and every few seconds, since another source
 * of rules may have been in their way. Thread-safe.
 */
public final class ConfigurationWatcher implements SmartLifecycle {

    private static final Log logger = LogFactory.getLog(ConfigurationWatcher.class);

    /** Between two tries, in looks at the file: ten seconds. */
    private static final int LOOKS_UNTIL_RETRY = 40;

    /** The longest reason in the log, in characters. */
    private static final int LONGEST_REASON = 20_000;

    private static final Edit NOTHING = environment -> {};

    private static final Duration PERIOD = Duration.ofMillis(250);

    private final LiveRules rules;
    private final RulesRebinder rebinder;
    private final ConfigurableEnvironment environment;
    private final Supplier<List<RuleSource>> sources;
    private final Runnable report;
    private final @Nullable RulesFile file;

    /** The content that was reloaded last. */
    private byte @Nullable [] content;

    /** The content at the last look: that of a file that is just being written is another one at the next. */
    private byte @Nullable [] seen;

    private @Nullable String told;

    /** The edit that could not work last; null if it could. */
    private @Nullable Edit rejected;

    /** The version of the rules when it could not. */
    private long rejectedAt;

    private int looksUntilRetry;

    private final BackgroundTask task = new BackgroundTask("limiter-rules-file", PERIOD, this::look);
    private volatile boolean running;

    /** A reload that is still under way then may fail for want of beans, which says nothing of the configuration. */
    private volatile boolean stopped;

    /**
     * @param sources where rules come from besides the environment
     * @param report told when other rules are in force
     */
    public ConfigurationWatcher(
            LiveRules rules,
            RulesRebinder rebinder,
            ConfigurableEnvironment environment,
            Supplier<List<RuleSource>> sources,
            Runnable report) {
        this.rules = rules;
        this.rebinder = rebinder;
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
        boolean same = file == null || lookAt(file);
        Edit again = rejected;
        if (same && again != null && (rules.version() != rejectedAt || --looksUntilRetry <= 0)) {
            reload(again);
        }
    }

    /** Whether the file is as it was reloaded last. */
    private boolean lookAt(RulesFile watched) {
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
            reload(next -> watched.putInto(next.getPropertySources(), read));
        }
        return false;
    }

    /** There is no content to try again. */
    private void giveUp(String reason) {
        tell(reason);
        content = null;
        rejected = null;
    }

    /** An edit of a copy of the environment, and then of the environment itself. */
    private interface Edit {
        void of(ConfigurableEnvironment environment);
    }

    private synchronized void reload(Edit edit) {
        ConfigurableEnvironment next = copy();
        try {
            edit.of(next);
            ConfiguredRules configured = rebinder.rebind(next);
            List<RuleDefinition> definitions = configured.with(sources.get());
            boolean changed = rules.configure(definitions, configured.defaultLimit(), configured.excluded());
            edit.of(environment);
            if (changed || told != null) {
                logger.info("Rules are in force as they are configured now");
            }
            told = null;
            rejected = null;
            if (changed) {
                report.run();
            }
        } catch (LimiterConfigurationException wrong) {
            reject(edit, text(wrong, next, wrong));
        } catch (BindException wrong) {
            reject(
                    edit,
                    wrong.getCause() instanceof LimiterConfigurationException all
                            ? text(all, next, wrong)
                            : String.valueOf(wrong.getMessage()));
        } catch (RuntimeException failure) {
            reject(edit, "A source of rules failed: " + failure);
        }
    }

    private void reject(Edit edit, String reason) {
        rejected = edit;
        rejectedAt = rules.version();
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
        Edit waiting = rejected;
        reload(NOTHING);
        if (waiting != null && waiting != NOTHING) {
            reload(waiting);
        }
        if (rejected != null && running) {
            task.start();
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
