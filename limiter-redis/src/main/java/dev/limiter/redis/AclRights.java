package dev.limiter.redis;

import dev.limiter.failover.StorageUnavailableException;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The permissions (ACL) that the Redis user needs, and the one that is missing according to a failure. */
final class AclRights {

    /** All permissions that limits need except for keys, in the syntax of {@code ACL SETUSER}. */
    static final String NEEDED =
            "+eval +evalsha +time +get +set +del +unlink +exists +type +rename +pttl +pexpire +lrange +lindex"
                    + " +lset +ltrim +rpush +llen +zscore +zadd +zrem +zincrby +zrangebyscore +zrevrange"
                    + " +zremrangebyscore +zcard";

    /** Error texts of servers from 6.2 on; only newer ones name the command. */
    private static final List<String> MISSING = List.of(
            "NOPERM", "can't run this command", "can't access at least one of the keys", "ACL failure in script");

    private static final Pattern LINE = Pattern.compile("user_script: ?(\\d+)");
    private static final Pattern COMMAND = Pattern.compile("(?:call|try|pcall)\\('([A-Z]+)'");

    private AclRights() {}

    static boolean isMissing(String message) {
        return MISSING.stream().anyMatch(message::contains);
    }

    /** Returns the failure, with the missing permission and its place in the script if it is a permission failure. */
    static Throwable explained(Throwable failure, Script script) {
        String message = String.valueOf(failure.getMessage());
        return isMissing(message) ? lacksRight(explain(message, script), failure) : failure;
    }

    /** Does the same as {@link #explained(Throwable, Script)}, for an unknown script. */
    static StorageUnavailableException explained(Throwable failure) {
        return lacksRight(explain(String.valueOf(failure.getMessage())), failure);
    }

    private static StorageUnavailableException lacksRight(String message, Throwable cause) {
        return new StorageUnavailableException(message, cause, StorageUnavailableException.Reason.LACKS_RIGHT);
    }

    /** Explains the message; {@code script} is the one that failed, used if the message contains a line number. */
    private static String explain(String message, Script script) {
        Matcher line = LINE.matcher(message);
        if (!line.find()) {
            return explain(message);
        }
        Matcher command = COMMAND.matcher(line(script, Integer.parseInt(line.group(1))));
        return command.find() ? explain("it may not " + command.group(1) + " (" + message + ")") : explain(message);
    }

    private static String line(Script script, int number) {
        return script.text().lines().skip(number - 1L).findFirst().orElse("");
    }

    private static String explain(String message) {
        return "The Redis user of limits lacks a right: " + message
                + ". It needs the keys below limiter.redis.key-prefix (such as ~limiter:*) and " + NEEDED;
    }
}
