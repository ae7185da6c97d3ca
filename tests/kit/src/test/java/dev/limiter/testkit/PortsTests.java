package dev.limiter.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Tests that run at the same time never get the same port. */
class PortsTests {

    @Test
    void portIsReservedBeforeAServerListens() {
        assertEquals(500, Stream.generate(Ports::free).limit(500).distinct().count());
    }
}
