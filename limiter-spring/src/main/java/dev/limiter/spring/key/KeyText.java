package dev.limiter.spring.key;

import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ObjectUtils;

/** The text of an expression's result as a key. */
final class KeyText {

    /** Whether a class has a toString() of its own; if not, each object would get its own bucket. */
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
     * @throws IllegalArgumentException if objects of this type have no text of their own
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
            throw new IllegalArgumentException("gave a " + value.getClass().getName()
                    + ", which has no toString() and would be a new key each time; name one of its properties");
        }
        return ObjectUtils.nullSafeToString(value);
    }
}
