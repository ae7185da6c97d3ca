package dev.limiter.spring;

import java.util.ArrayList;
import java.util.List;
import org.apache.commons.logging.impl.NoOpLog;

/** A log that stores its lines, each prefixed by its level. */
public final class LogLines extends NoOpLog {

    private static final long serialVersionUID = 1L;

    private final transient List<String> lines = new ArrayList<>();

    public List<String> lines() {
        return lines;
    }

    @Override
    public void info(Object message) {
        lines.add("INFO " + message);
    }

    @Override
    public void warn(Object message) {
        lines.add("WARN " + message);
    }

    @Override
    public void warn(Object message, Throwable failure) {
        warn(message);
    }

    @Override
    public void error(Object message, Throwable failure) {
        lines.add("ERROR " + message);
    }
}
