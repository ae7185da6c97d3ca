package dev.limiter.spring.rule;

/** When fixed windows start. */
public enum Align {
    /** At multiples of the window since the epoch, at the same time for all keys. */
    EPOCH,
    /** With the first request of a key after its last window ended. */
    FIRST,
    /** With the calendar day, week (from Monday) or month in a time zone. */
    CALENDAR
}
