package dev.limiter.spring.compile;

import dev.limiter.spring.compiled.EnforcedShare;
import dev.limiter.spring.failure.MessageCode;
import dev.limiter.spring.failure.Problems;
import dev.limiter.spring.key.RateLimitKey;
import dev.limiter.spring.rule.RuleDefinition;
import dev.limiter.spring.rule.RuleOptions;
import dev.limiter.spring.rule.Setting;
import java.math.BigDecimal;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Turns {@code enforce} into a share of the keys. */
final class EnforcedShareCompiler {

    private static final Pattern PERCENT = Pattern.compile("([0-9]{1,3}(?:\\.[0-9]{1,2})?) ?%");

    private EnforcedShareCompiler() {}

    /** {@code keyIsFinal}: whether nothing else may say the key of the rule. */
    static EnforcedShare compile(
            RuleDefinition definition, @Nullable RateLimitKey key, boolean keyIsFinal, Problems problems) {
        Setting<String> said = definition.get(RuleOptions.ENFORCE);
        if (said == null) {
            return EnforcedShare.ALL;
        }
        Matcher percent = PERCENT.matcher(said.value().strip());
        int hundredths = percent.matches()
                ? new BigDecimal(percent.group(1)).movePointRight(2).intValueExact()
                : 0;
        if (hundredths < 1 || hundredths > EnforcedShare.ALL.hundredths()) {
            problems.add(
                    MessageCode.ENFORCE,
                    said.where(),
                    said.value(),
                    "It must be a share from 0.01% to 100%, such as 10%. To only watch, say mode: shadow.");
            return EnforcedShare.ALL;
        }
        boolean shared = key != null && !key.tellsClientsApart();
        if (shared && (keyIsFinal || definition.get(RuleOptions.KEY) != null)) {
            problems.add(
                    MessageCode.ENFORCE,
                    said.where(),
                    said.value(),
                    "A share of the keys needs a key: all requests have the same here. Say who has a bucket of one's"
                            + " own, such as key: ip, or remove it.");
        }
        return new EnforcedShare(hundredths);
    }
}
