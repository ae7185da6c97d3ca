package dev.limiter.memory;

/**
 * What a request took whose limits cost differently.
 *
 * @param permits how many of each limit
 * @param returnedBefore how many permits of each limit had been returned by then, at most
 */
record OwnCosts(long[] permits, long[] returnedBefore) {}
