package dev.limiter.spring.web;

import dev.limiter.spring.answer.FieldSink;
import jakarta.servlet.http.HttpServletResponse;

/** The header fields of a servlet's answer. */
record ServletFieldSink(HttpServletResponse response) implements FieldSink {

    @Override
    public boolean contains(String name) {
        return response.containsHeader(name);
    }

    @Override
    public void set(String name, String value) {
        response.setHeader(name, value);
    }

    @Override
    public void expose(String... names) {
        CrossOriginFields.expose(response, names);
    }
}
