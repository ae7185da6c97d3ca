package dev.limiter.spring.rule;

/** Where the windows of a fixed window begin. */
public enum Align {
    /** One after the other, counted from the epoch: for all keys at the same time. */
    EPOCH,
    /** For each key with its first request after the last window ended. */
    FIRST,
    /** With the day, the week (from Monday) or the month of the calendar in a time zone. */
    CALENDAR
}
