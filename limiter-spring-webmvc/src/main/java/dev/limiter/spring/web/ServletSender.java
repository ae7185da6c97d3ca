package dev.limiter.spring.web;

import dev.limiter.spring.address.Sender;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletRequestWrapper;
import jakarta.servlet.http.HttpServletRequest;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The sender of a servlet request. Reads the container's own request, because filters for forwarded headers wrap it and
 * hide the headers.
 */
record ServletSender(
        HttpServletRequest request,
        @Nullable String peer,
        @Nullable String claimed) implements Sender {

    static ServletSender of(HttpServletRequest request) {
        ServletRequest innermost = request;
        while (innermost instanceof ServletRequestWrapper wrapper) {
            innermost = wrapper.getRequest();
        }
        HttpServletRequest own = innermost instanceof HttpServletRequest http ? http : request;
        String address = own.getRemoteAddr();
        String replaced = TomcatPeer.replaced(own);
        return replaced == null || replaced.equals(address)
                ? new ServletSender(own, address, null)
                : new ServletSender(own, replaced, address);
    }

    @Override
    public List<String> header(String name) {
        return request.getHeader(name) == null ? List.of() : Collections.list(request.getHeaders(name));
    }
}
