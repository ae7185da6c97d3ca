package dev.limiter.spi;

/** Thrown for a value outside the range of its option. The message names the option, the value and the range. */
public final class OutOfRangeException extends IllegalArgumentException {

    private static final long serialVersionUID = 1L;

    private final String option;
    private final String range;

    public OutOfRangeException(String option, String value, String range) {
        super(option + " is " + value + ", but must be " + range);
        this.option = option;
        this.range = range;
    }

    /** Returns the option as named by the factory methods of {@link dev.limiter.Limit}, such as {@code window}. */
    public String option() {
        return option;
    }

    /** Returns the range as text, such as {@code from 1 to 1000}. */
    public String range() {
        return range;
    }
}
