package dev.limiter.spring.webflux;

import org.reactivestreams.Publisher;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DefaultDataBufferFactory;
import org.springframework.http.server.reactive.AbstractServerHttpResponse;
import reactor.core.publisher.Mono;

/** The response to a request that was not sent: goes nowhere. */
final class DescribedResponse extends AbstractServerHttpResponse {

    DescribedResponse() {
        super(DefaultDataBufferFactory.sharedInstance);
    }

    @Override
    public <T> T getNativeResponse() {
        throw new IllegalStateException("no server sends this response");
    }

    @Override
    protected Mono<Void> writeWithInternal(Publisher<? extends DataBuffer> body) {
        return Mono.empty();
    }

    @Override
    protected Mono<Void> writeAndFlushWithInternal(Publisher<? extends Publisher<? extends DataBuffer>> body) {
        return Mono.empty();
    }

    @Override
    protected void applyStatusCode() {}

    @Override
    protected void applyHeaders() {}

    @Override
    protected void applyCookies() {}
}
