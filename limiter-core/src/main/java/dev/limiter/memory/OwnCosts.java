package dev.limiter.memory;

/**
 * The permits that a request took of limits that cost differently.
 *
 * @param permits how many of each limit
 * @param returnedBefore how many permits of each limit had been returned by then, at most
 */
record OwnCosts(long[] permits, long[] returnedBefore) {}
