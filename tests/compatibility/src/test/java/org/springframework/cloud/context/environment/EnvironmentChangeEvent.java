package org.springframework.cloud.context.environment;

import org.springframework.context.ApplicationEvent;

/** A stand-in for the event of Spring Cloud, which is not on the class path. Limiter recognizes it by name. */
public final class EnvironmentChangeEvent extends ApplicationEvent {

    private static final long serialVersionUID = 1L;

    public EnvironmentChangeEvent(Object source) {
        super(source);
    }
}
