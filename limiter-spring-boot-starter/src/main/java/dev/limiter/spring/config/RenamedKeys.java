package dev.limiter.spring.config;

import dev.limiter.spring.failure.MessageCode;
import dev.limiter.spring.failure.Problem;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;

/** Keys that were renamed before 0.1, with their replacements. To be deleted after 0.1. */
final class RenamedKeys {

    private static final Map<String, String> OF_ROOT = Map.of("floors", "caps");

    private static final Map<String, String> OF_RULE = Map.of(
            "enforce", "rollout",
            "answer", "status, with 429 for client or 503 for server",
            "skipif", "condition, which is true for the requests to limit, such as \"#{!(…)}\"");

    /** The number of elements in {@code limiter.rules.<name>}. */
    private static final int RULE = 3;

    private RenamedKeys() {}

    /** Returns the problem of a property with a renamed key; null if its key was not renamed. */
    static @Nullable Problem problem(ConfigurationProperty property) {
        ConfigurationPropertyName name = property.getName();
        String renamed = OF_ROOT.get(element(name, 1));
        if (renamed != null) {
            return problem(property, 2, renamed);
        }
        boolean rule = element(name, 1).equals("rules") || element(name, 2).equals("defaultlimit");
        if (!rule) {
            return null;
        }
        renamed = OF_RULE.get(element(name, RULE));
        return renamed != null ? problem(property, RULE + 1, renamed) : tiers(property);
    }

    private static @Nullable Problem tiers(ConfigurationProperty property) {
        ConfigurationPropertyName name = property.getName();
        if (name.getNumberOfElements() != RULE + 2 || !element(name, RULE).equals("tiers")) {
            return null;
        }
        if (element(name, RULE + 1).equals("by")) {
            return problem(property, RULE + 2, "tier-by, next to tiers");
        }
        return "unlimited".equalsIgnoreCase(String.valueOf(property.getValue()).strip())
                ? problem(property, RULE + 2, "{ unlimited: true }")
                : null;
    }

    private static Problem problem(ConfigurationProperty property, int elements, String instead) {
        ConfigurationPropertyName name = property.getName();
        boolean whole = name.getNumberOfElements() == elements;
        return new Problem(
                MessageCode.UNKNOWN_KEY,
                name.chop(elements).toString(),
                whole ? property.getValue() : null,
                "This was renamed before 0.1. Write " + instead + ".");
    }

    private static String element(ConfigurationPropertyName name, int index) {
        return index < name.getNumberOfElements() ? name.getElement(index, Form.UNIFORM) : "";
    }
}
