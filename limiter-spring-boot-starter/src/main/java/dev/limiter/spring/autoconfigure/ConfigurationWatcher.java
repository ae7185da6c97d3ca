package dev.limiter.spring.autoconfigure;

import dev.limiter.spring.config.ConfigurationReader;
import dev.limiter.spring.config.ConfiguredRules;
import dev.limiter.spring.config.LimiterConfigurationFailureAnalyzer;
import dev.limiter.spring.config.PropertyOrigins;
import dev.limiter.spring.config.RulesFile;
import dev.limiter.spring.failure.LimiterConfigurationException;
import dev.limiter.spring.operate.LiveRules;
import dev.limiter.spring.rule.RuleDefinition;
import dev.limiter.spring.rule.RuleSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
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
 * Has rules be in force that are configured while the application runs: twice a second those of the rules file, if it is
 * another one, and those of the environment when Spring Cloud says that it has changed. What cannot work changes nothing,
 * and is told once.
 */
final class ConfigurationWatcher implements SmartLifecycle {

    private static final Log logger = LogFactory.getLog(ConfigurationWatcher.class);

    private static final long PERIOD_MILLIS = 500;

    private final LiveRules rules;
    private final ConfigurationReader reader;
    private final ConfigurableEnvironment environment;
    private final Supplier<List<RuleSource>> sources;
    private final @Nullable RulesFile file;

    /** The content that was reloaded last. */
    private byte @Nullable [] content;

    /** The content at the last look: that of a file that is just being written is another one at the next. */
    private byte @Nullable [] seen;

    private @Nullable String told;
    private @Nullable ScheduledExecutorService executor;
    private boolean running;

    /** {@code sources}: where rules come from besides the environment. */
    ConfigurationWatcher(
            LiveRules rules,
            ConfigurationReader reader,
            ConfigurableEnvironment environment,
            Supplier<List<RuleSource>> sources) {
        this.rules = rules;
        this.reader = reader;
        this.environment = environment;
        this.sources = sources;
        this.file = RulesFile.of(environment);
    }

    @Override
    public synchronized void start() {
        if (running) {
            return;
        }
        running = true;
        if (file != null) {
            ScheduledExecutorService started = Executors.newSingleThreadScheduledExecutor(ConfigurationWatcher::thread);
            var unused =
                    started.scheduleWithFixedDelay(this::look, PERIOD_MILLIS, PERIOD_MILLIS, TimeUnit.MILLISECONDS);
            executor = started;
        }
    }

    private static Thread thread(Runnable task) {
        Thread thread = new Thread(task, "limiter-rules-file");
        thread.setDaemon(true);
        return thread;
    }

    private void look() {
        try {
            lookAt(file);
        } catch (RuntimeException failure) {
            // An exception that leaves the task would end the schedule.
            logger.error("The rules file cannot be watched; trying again", failure);
        }
    }

    private synchronized void lookAt(@Nullable RulesFile watched) {
        if (watched == null) {
            return;
        }
        byte[] read;
        try {
            read = watched.read();
        } catch (LimiterConfigurationException unreadable) {
            tell(String.valueOf(unreadable.getMessage()));
            content = null;
            return;
        }
        if (read == null) {
            if (watched.isIn(environment.getPropertySources())) {
                tell("There is no " + watched + " any more");
                content = null;
            }
            return;
        }
        boolean written = Arrays.equals(read, seen);
        seen = read;
        if (written && !Arrays.equals(read, content)) {
            content = read;
            reload(next -> watched.putInto(next.getPropertySources(), read));
        }
    }

    /** An edit of a copy of the environment, and then of the environment itself. */
    private interface Edit {
        void of(ConfigurableEnvironment environment);
    }

    private synchronized void reload(Edit edit) {
        ConfigurableEnvironment next = copy();
        try {
            edit.of(next);
            ConfiguredRules configured = reader.read(next);
            List<RuleDefinition> definitions = new ArrayList<>(configured.rules());
            sources.get().forEach(source -> definitions.addAll(source.rules()));
            boolean changed = rules.configure(definitions, configured.defaultLimit(), configured.excluded());
            edit.of(environment);
            if (changed || told != null) {
                logger.info("Rules are in force as they are configured now");
            }
            told = null;
        } catch (LimiterConfigurationException wrong) {
            tell(text(wrong, next, wrong));
        } catch (BindException wrong) {
            tell(
                    wrong.getCause() instanceof LimiterConfigurationException all
                            ? text(all, next, wrong)
                            : String.valueOf(wrong.getMessage()));
        } catch (RuntimeException failure) {
            tell("A source of rules failed: " + failure);
        }
    }

    private static String text(LimiterConfigurationException wrong, ConfigurableEnvironment where, Throwable cause) {
        return LimiterConfigurationFailureAnalyzer.analysis(wrong.problems(), new PropertyOrigins(where), cause)
                .getDescription();
    }

    /** Once, as long as it is the same. */
    private void tell(String reason) {
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

    /** The environment has changed. */
    void environmentChanged() {
        reload(copy -> {});
    }

    @Override
    public synchronized void stop() {
        running = false;
        if (executor != null) {
            executor.shutdownNow();
            executor = null;
        }
    }

    @Override
    public synchronized boolean isRunning() {
        return running;
    }
}
