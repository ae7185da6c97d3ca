package dev.limiter.spi;

/** A value is outside the range of its option; the message names the option, the value and the range. */
public final class OutOfRangeException extends IllegalArgumentException {

    private static final long serialVersionUID = 1L;

    private final String option;
    private final String range;

    public OutOfRangeException(String option, String value, String range) {
        super(option + " is " + value + ", but must be " + range);
        this.option = option;
        this.range = range;
    }

    /** The option as factories of {@link dev.limiter.Limit} name it, such as {@code window} or {@code warmUp}. */
    public String option() {
        return option;
    }

    /** What the value must be, such as {@code from 1 to 1000}. */
    public String range() {
        return range;
    }
}
