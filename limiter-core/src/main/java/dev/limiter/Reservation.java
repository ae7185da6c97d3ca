package dev.limiter;

import org.jspecify.annotations.Nullable;

/**
 * The permits that a waiter has of one rule and key, for a turn to come.
 *
 * @param waitsFor the rule and key for which it counts among those that wait; null if the turn had come on arrival
 * @param place in the queue of its state; null if the turn never moves
 */
record Reservation(Decision part, @Nullable WaitKey waitsFor, TurnQueue.@Nullable Place place) {}
