package dev.limiter.spring.answer;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AsciiTextTests {

    @ParameterizedTest
    @ValueSource(longs = {0, 1, 9, 10, 99, 100, 1_234_567_890, Long.MAX_VALUE})
    void writesNumbersAsTheyAre(long number) {
        AsciiText text = new AsciiText(1).append("a").append(number).append("b");

        assertThat(text).hasToString("a" + number + "b");
        assertThat(text.length()).isEqualTo(text.toString().length());
    }
}
