package dev.limiter.spring.rule;

import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Where a rule was written, to say so in messages. */
public interface RuleOrigin {

    /** Where an attribute such as {@code window} was written, or would be. */
    String of(String attribute);

    /** The value in each source of a place named by {@link #of}, the strongest first; empty where it is unknown. */
    default List<Said> said(String place) {
        return List.of();
    }

    /**
     * A place as one source has it.
     *
     * @param value null if it is a list or otherwise has parts
     * @param source the file and line, or the name of the source
     */
    record Said(@Nullable Object value, String source) {}

    /** Where the rule was written. */
    @Override
    String toString();

    /** Properties below {@code prefix}, such as {@code limiter.rules.orders}. */
    static RuleOrigin property(String prefix) {
        return new Property(prefix);
    }

    /** An annotation on {@code element}, such as {@code com.example.Orders.list()}. */
    static RuleOrigin annotation(String element) {
        return new Annotation(element);
    }

    /** Code, such as a {@link RuleSource} named {@code name}. */
    static RuleOrigin source(String name) {
        return new Source(name);
    }

    /** See {@link RuleOrigin#property}. */
    record Property(String prefix) implements RuleOrigin {
        @Override
        public String of(String attribute) {
            return prefix + "." + attribute;
        }

        @Override
        public String toString() {
            return prefix;
        }
    }

    /** See {@link RuleOrigin#annotation}. */
    record Annotation(String element) implements RuleOrigin {
        @Override
        public String of(String attribute) {
            return camelCase(attribute) + " of " + this;
        }

        /** Attributes of annotations have no dashes. */
        private static String camelCase(String attribute) {
            return Pattern.compile("-(.)")
                    .matcher(attribute)
                    .replaceAll(next -> next.group(1).toUpperCase(Locale.ROOT));
        }

        @Override
        public String toString() {
            return "@RateLimiter on " + element;
        }
    }

    /** See {@link RuleOrigin#source}. */
    record Source(String name) implements RuleOrigin {
        @Override
        public String of(String attribute) {
            return attribute + " of " + name;
        }

        @Override
        public String toString() {
            return name;
        }
    }
}
