package dev.limiter.spring.response;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Bodies are ASCII, and text from clients is escaped. */
class AsciiTextTests {

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 255, 256, 257, 10_000})
    void isAllPartsInOrder(int length) {
        String text = "x".repeat(length);
        AsciiText ascii = new AsciiText("a", text, AsciiText.escaped(text), "b");

        assertThat(ascii).hasToString("a" + text + text + "b");
        assertThat(ascii.length()).isEqualTo(2 * length + 2);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "plain /orders?a=b;c|plain /orders?a=b;c",
                "say \"no\"|say \\\"no\\\"",
                "back\\slash|back\\\\slash",
                "<b>&|\\u003cb\\u003e\\u0026",
                "größe €|gr\\u00f6\\u00dfe \\u20ac",
            })
    void escapesNonPrintableAndHtmlCharacters(String text, String escaped) {
        assertThat(AsciiText.escaped(text)).isEqualTo(escaped);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 0x1f, 0x7f, 0x80, 0xd83d, 0xffff})
    void escapesCharactersByTheirNumber(int character) {
        assertThat(AsciiText.escaped("" + (char) character)).isEqualTo(String.format("\\u%04x", character));
    }
}
