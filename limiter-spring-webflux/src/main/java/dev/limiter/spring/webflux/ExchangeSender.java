package dev.limiter.spring.webflux;

import dev.limiter.spring.address.Sender;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.http.server.reactive.ServerHttpRequest;

/**
 * The sender of a request, according to its connection: {@code server.forward-headers-strategy} replaces the address and
 * may remove the headers, without checking who sent them.
 */
record ExchangeSender(ServerHttpRequest request) implements Sender {

    @Override
    public @Nullable String peer() {
        String connected = NettyConnection.peer(request);
        if (connected != null) {
            return connected;
        }
        InetSocketAddress address = request.getRemoteAddress();
        return address == null ? null : text(address);
    }

    static @Nullable String text(InetSocketAddress address) {
        InetAddress resolved = address.getAddress();
        return resolved == null ? address.getHostString() : resolved.getHostAddress();
    }

    @Override
    public @Nullable String claimed() {
        return null;
    }

    @Override
    public List<String> header(String name) {
        List<String> received = NettyConnection.header(request, name);
        if (received != null) {
            return received;
        }
        // the signatures of get and getOrEmpty differ between versions of Spring
        List<String> values = new ArrayList<>();
        request.getHeaders().forEach((sent, lines) -> {
            if (sent.equalsIgnoreCase(name)) {
                values.addAll(lines);
            }
        });
        return values;
    }
}
