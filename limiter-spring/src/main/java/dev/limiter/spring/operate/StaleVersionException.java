package dev.limiter.spring.operate;

/** A change was made for rules that are not in force any more. */
public final class StaleVersionException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    StaleVersionException(long made, long inForce) {
        super("The rules have version " + inForce + " by now; the change is for version " + made
                + ". Look at them again, and repeat it with the version that is in force.");
    }
}
