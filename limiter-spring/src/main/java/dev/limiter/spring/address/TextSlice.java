package dev.limiter.spring.address;

/** Looks into a part of a text only: a header may hold thousands of addresses, and each is read where it stands. */
final class TextSlice {

    private TextSlice() {}

    /** Where a character is first between two positions; -1 if it is not. */
    static int indexOf(String text, char c, int from, int to) {
        for (int i = from; i < to; i++) {
            if (text.charAt(i) == c) {
                return i;
            }
        }
        return -1;
    }
}
