package dev.limiter.spring.compile;

import dev.limiter.spring.compiled.EnforcedShare;
import dev.limiter.spring.failure.LimiterConfigurationException;
import dev.limiter.spring.failure.MessageCode;
import dev.limiter.spring.failure.Problem;
import dev.limiter.spring.rule.Setting;
import java.math.BigDecimal;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Turns {@code enforce} into a share of the keys. */
final class EnforcedShareCompiler {

    private static final Pattern PERCENT = Pattern.compile("([0-9]{1,3}(?:\\.[0-9]{1,2})?) ?%");

    private EnforcedShareCompiler() {}

    /** @throws LimiterConfigurationException if it is not a share */
    static EnforcedShare compile(Setting<String> setting) {
        Matcher percent = PERCENT.matcher(setting.value().strip());
        int hundredths = percent.matches()
                ? new BigDecimal(percent.group(1)).movePointRight(2).intValueExact()
                : 0;
        if (hundredths < 1 || hundredths > EnforcedShare.ALL.hundredths()) {
            throw new LimiterConfigurationException(new Problem(
                    MessageCode.ENFORCE,
                    setting.where(),
                    setting.value(),
                    "It must be a share from 0.01% to 100%, such as 10%. To only watch, set mode: shadow."));
        }
        return new EnforcedShare(hundredths);
    }
}
