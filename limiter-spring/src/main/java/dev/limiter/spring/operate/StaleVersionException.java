package dev.limiter.spring.operate;

/** Thrown for a change of an outdated version of the rules. */
public final class StaleVersionException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    StaleVersionException(long made, long inForce) {
        super("The rules have version " + inForce + ", but the change is for version " + made + ". Read the rules"
                + " again, and repeat the change with their version.");
    }
}
