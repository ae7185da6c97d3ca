package dev.limiter;

import org.jspecify.annotations.Nullable;

/**
 * The permits that a waiter has of one rule and key, for a turn to come.
 *
 * @param waits whether the turn was still to come on arrival, so that it counts among those that wait for the key
 * @param place in the queue of its state; null if the turn never moves
 */
record Reservation(Decision part, boolean waits, TurnQueue.@Nullable Place place) {}
