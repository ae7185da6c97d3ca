package org.springframework.cloud.context.environment;

import org.springframework.context.ApplicationEvent;

/** As Spring Cloud publishes it, which is not on the class path: rules go by its name. */
public final class EnvironmentChangeEvent extends ApplicationEvent {

    private static final long serialVersionUID = 1L;

    public EnvironmentChangeEvent(Object source) {
        super(source);
    }
}
