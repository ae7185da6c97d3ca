package dev.limiter.spring.webflux;

import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.http.server.reactive.AbstractServerHttpRequest;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.http.server.reactive.ServerHttpRequestDecorator;
import org.springframework.util.ClassUtils;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;
import reactor.netty.channel.ChannelOperations;
import reactor.netty.http.server.HttpServerRequest;

/** The connection of a request, if Reactor Netty is the server: other servers do not show what is below Spring. */
final class NettyConnection {

    private static final boolean PRESENT =
            ClassUtils.isPresent("reactor.netty.http.server.HttpServerRequest", NettyConnection.class.getClassLoader());

    private NettyConnection() {}

    /** Returns the address of the other end, whatever forwarded headers claim; null if it is unknown. */
    static @Nullable String peer(ServerHttpRequest request) {
        return PRESENT ? Netty.peer(request) : null;
    }

    /** Returns the values of a header as they were received; null if they are unknown. */
    static @Nullable List<String> header(ServerHttpRequest request, String name) {
        return PRESENT ? Netty.header(request, name) : null;
    }

    /**
     * Writes a response once the server has read the request. Up to 1.3.7, Reactor Netty may not read the next request of
     * a connection if a response is complete before the end of its request was read (reactor/reactor-netty#4361).
     */
    static Mono<Void> later(ServerHttpRequest request, Supplier<Mono<Void>> response) {
        return Mono.defer(response).subscribeOn(scheduler(request));
    }

    /** Completes with the future: on the thread of the connection, if another thread completes that. */
    static Mono<@Nullable Void> goOn(ServerHttpRequest request, CompletableFuture<@Nullable Void> future) {
        Mono<@Nullable Void> completed = Mono.fromFuture(future);
        return future.isDone() ? completed : completed.publishOn(scheduler(request));
    }

    /** Returns where the request goes on once another thread has decided it: on the thread of its connection. */
    static Scheduler scheduler(ServerHttpRequest request) {
        Scheduler own = PRESENT ? Netty.scheduler(request) : null;
        return own == null ? Schedulers.parallel() : own;
    }

    /** Returns the request of the server; null if there is none, as in tests without a server. */
    static @Nullable Object unwrapped(ServerHttpRequest request) {
        ServerHttpRequest inner = request;
        while (inner instanceof ServerHttpRequestDecorator decorator) {
            inner = decorator.getDelegate();
        }
        try {
            return inner instanceof AbstractServerHttpRequest connected ? connected.getNativeRequest() : null;
        } catch (IllegalStateException mocked) {
            return null;
        }
    }

    /** A class of its own, loaded only if Reactor Netty is present. */
    private static final class Netty {

        static @Nullable String peer(ServerHttpRequest request) {
            HttpServerRequest connected = connected(request);
            SocketAddress address = connected == null ? null : connected.connectionRemoteAddress();
            return address instanceof InetSocketAddress inet ? ExchangeSender.text(inet) : null;
        }

        static @Nullable List<String> header(ServerHttpRequest request, String name) {
            HttpServerRequest connected = connected(request);
            return connected == null ? null : connected.requestHeaders().getAll(name);
        }

        static @Nullable Scheduler scheduler(ServerHttpRequest request) {
            return connected(request) instanceof ChannelOperations<?, ?> operations
                    ? Schedulers.fromExecutor(operations.channel().eventLoop())
                    : null;
        }

        private static @Nullable HttpServerRequest connected(ServerHttpRequest request) {
            Object connected = unwrapped(request);
            return connected instanceof HttpServerRequest http ? http : null;
        }
    }
}
