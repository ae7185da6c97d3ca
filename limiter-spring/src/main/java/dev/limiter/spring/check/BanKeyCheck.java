package dev.limiter.spring.check;

import dev.limiter.spring.compile.Rules;
import dev.limiter.spring.failure.MessageCode;
import dev.limiter.spring.rule.BanOptions;
import dev.limiter.spring.rule.RuleOptions;
import dev.limiter.spring.rule.Setting;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.regex.Pattern;

/** Finds bans by a key that clients choose freely. They avoid the ban with another value, and can ban other clients. */
public final class BanKeyCheck implements StartupCheck {

    private static final Pattern CHOSEN =
            Pattern.compile("(^|[,|])\\s*(header|cookie|param):|#request\\??\\.(getHeader|getParameter|cookie)\\(");

    private static final Pattern PATH = Pattern.compile("path\\s*:.*");

    /** Alternatives that do not identify a client. */
    private static final Pattern OF_NO_CLIENT = Pattern.compile("path\\s*:.*|method|global");

    private final Rules rules;

    public BanKeyCheck(Rules rules) {
        this.rules = rules;
    }

    @Override
    public List<Finding> findings() {
        return rules.current().definitions().stream()
                .filter(rule -> rule.get(BanOptions.AFTER) != null)
                .map(rule -> rule.get(RuleOptions.KEY))
                .filter(Objects::nonNull)
                .filter(BanKeyCheck::isChosen)
                .map(key -> new Finding(
                        MessageCode.CHOSEN_BAN_KEY,
                        key.where() + " = " + text(key)
                                + ": clients choose this value freely, so a banned client continues with another"
                                + " one, and can get another client banned by sending its value. Use ip"
                                + " or principal|ip for a rule with a ban, or a header that only your"
                                + " gateway sets."))
                .toList();
    }

    private static boolean isChosen(Setting<List<String>> key) {
        return CHOSEN.matcher(text(key)).find() || isChosenByPath(key);
    }

    /**
     * Returns whether only path variables divide the key. Next to a part that identifies the client, they are harmless.
     */
    private static boolean isChosenByPath(Setting<List<String>> key) {
        List<String> parts = List.of(text(key).split(","));
        return parts.stream().allMatch(part -> any(part, OF_NO_CLIENT))
                && parts.stream().anyMatch(part -> any(part, PATH));
    }

    private static boolean any(String part, Pattern alternative) {
        return Arrays.stream(part.split("\\|")).map(String::strip).anyMatch(alternative.asMatchPredicate());
    }

    private static String text(Setting<List<String>> key) {
        return String.join(",", key.value());
    }
}
