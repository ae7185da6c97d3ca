package dev.limiter.spring.key;

import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ObjectUtils;

/** Converts the result of an expression to the text of a key. */
final class KeyText {

    /** True for classes that override toString(). Without it, each object would get its own bucket. */
    private static final ClassValue<Boolean> HAS_TEXT = new ClassValue<>() {
        @Override
        protected Boolean computeValue(Class<?> type) {
            try {
                return type.isArray() || type.getMethod("toString").getDeclaringClass() != Object.class;
            } catch (NoSuchMethodException exception) {
                return false;
            }
        }
    };

    private KeyText() {}

    /**
     * Returns the text of a value.
     *
     * @throws IllegalArgumentException if its type does not override toString()
     */
    static @Nullable String of(@Nullable Object value) {
        if (value instanceof String text) {
            return text;
        }
        if (value instanceof Optional<?> optional) {
            return of(optional.orElse(null));
        }
        if (value == null) {
            return null;
        }
        if (!HAS_TEXT.get(value.getClass())) {
            throw new IllegalArgumentException("returned a " + value.getClass().getName() + ", which does not"
                    + " override toString(), so each object would be a new key; use one of its properties");
        }
        return ObjectUtils.nullSafeToString(value);
    }
}
