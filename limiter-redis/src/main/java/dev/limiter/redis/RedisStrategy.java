package dev.limiter.redis;

import dev.limiter.Limit;
import dev.limiter.RateLimiterStrategy;
import org.jspecify.annotations.Nullable;

/**
 * An algorithm of the application's own that also runs in Redis: the arithmetic in memory, which decides alone while
 * Redis fails, and the same as a script. Both should answer alike, in whole microseconds.
 *
 * <p>The state of a key is one string of any content. The library reads, writes, expires and deletes it; the script
 * calls no command of Redis. When the algorithm of a limit changes, the state is taken over as a count of permits.
 * Permits are not {@linkplain RedisRateLimiterStorage.Builder#lease taken ahead}, and requests do not wait for turns.
 *
 * <p>Immutable, thread-safe; no method may block.
 */
public interface RedisStrategy extends RateLimiterStrategy {

    /**
     * The script in Lua 5.1, in three parts that are separated by the lines {@code -- take} and {@code -- give back}.
     * Lines that begin with {@code --} are not sent. All times are whole microseconds, {@code now} since the epoch. A
     * number is exact below 2<sup>53</sup>.
     *
     * <ol>
     *   <li>The first part says what is left. Given: {@code terms}, the table of {@link #terms}; {@code capacity}, the
     *       {@link Limit#capacity}; {@code now}; {@code state}, nil if the key has none; {@code others}, how many
     *       permits instances have taken meanwhile by another algorithm of the limit, which count here too, mostly 0;
     *       {@code asked}, how many permits have to be there, 0 if none is asked for. To be set: {@code left}, the
     *       permits that can be had; {@code refusal}, 0 or the time until as many as asked can be had, -1 if that is
     *       not known; {@code reset}, the time until the key is as if it had never been used.
     *   <li>The second part takes {@code count} permits, which are there, or 0 to have only those of others written. To
     *       be set: {@code state}; {@code left} and {@code reset} as they are then; {@code refusal}, 0 or the time
     *       until one more permit can be had; {@code mark}, a number by which the third part knows these permits.
     *   <li>The third part returns {@code permits} that were taken with {@code mark} at {@code taken_at}, as far as
     *       they still count. Given are {@code terms}, {@code capacity}, {@code now} and {@code state} as well. To be
     *       set if any count: {@code state}, {@code left} and {@code reset}.
     * </ol>
     *
     * <p>Locals of the first part are there in the second one. The functions {@code pack} and {@code unpack} (of
     * {@code struct}), {@code floor} and {@code ceil} are there in all; other names of locals that are not declared
     * in the part may not be used, and a part may not {@code return}. A part has up to a hundred locals. Where a
     * script does not compile, fails, or sets what is no number of its range, requests to the limit are decided as
     * while Redis fails, and the log says why; others are not affected. A second part that takes permits sets a
     * {@code reset} above 0.
     */
    String script();

    /**
     * The numbers given to the script for a limit: whole ones, up to 250 of them, each exact up to 2<sup>53</sup>. Null
     * to have the library's script decide that limit: for limits that {@link #compile} hands to the library's strategy.
     */
    long @Nullable [] terms(Limit limit);
}
