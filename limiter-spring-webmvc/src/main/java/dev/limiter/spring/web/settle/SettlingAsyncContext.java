package dev.limiter.spring.web.settle;

import jakarta.servlet.AsyncContext;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.ServletContext;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import java.io.IOException;

/** Ends the answer before the container does, for the application and for its listeners. */
record SettlingAsyncContext(AsyncContext container, HeldResponse response) implements AsyncContext {

    @Override
    public void complete() {
        try {
            response.answer().end(false);
        } catch (IOException clientIsGone) {
            // the container finds that out, too
        }
        container.complete();
    }

    @Override
    public ServletRequest getRequest() {
        return container.getRequest();
    }

    @Override
    public ServletResponse getResponse() {
        return container.getResponse();
    }

    @Override
    public boolean hasOriginalRequestAndResponse() {
        return container.hasOriginalRequestAndResponse();
    }

    @Override
    public void dispatch() {
        container.dispatch();
    }

    @Override
    public void dispatch(String path) {
        container.dispatch(path);
    }

    @Override
    public void dispatch(ServletContext context, String path) {
        container.dispatch(context, path);
    }

    @Override
    public void start(Runnable run) {
        container.start(run);
    }

    @Override
    public void addListener(AsyncListener listener) {
        container.addListener(new Listener(listener, response));
    }

    @Override
    public void addListener(AsyncListener listener, ServletRequest request, ServletResponse answer) {
        container.addListener(new Listener(listener, response), request, answer);
    }

    @Override
    public <T extends AsyncListener> T createListener(Class<T> type) throws ServletException {
        return container.createListener(type);
    }

    @Override
    public void setTimeout(long millis) {
        container.setTimeout(millis);
    }

    @Override
    public long getTimeout() {
        return container.getTimeout();
    }

    /** Hands on events that lead back here. */
    private record Listener(AsyncListener target, HeldResponse response) implements AsyncListener {

        private AsyncEvent here(AsyncEvent event) {
            return new AsyncEvent(
                    new SettlingAsyncContext(event.getAsyncContext(), response),
                    event.getSuppliedRequest(),
                    event.getSuppliedResponse(),
                    event.getThrowable());
        }

        @Override
        public void onComplete(AsyncEvent event) throws IOException {
            target.onComplete(here(event));
        }

        @Override
        public void onTimeout(AsyncEvent event) throws IOException {
            target.onTimeout(here(event));
        }

        @Override
        public void onError(AsyncEvent event) throws IOException {
            target.onError(here(event));
        }

        @Override
        public void onStartAsync(AsyncEvent event) throws IOException {
            target.onStartAsync(here(event));
        }
    }
}
