package dev.limiter.spring.compile;

import dev.limiter.spring.address.AddressRanges;
import dev.limiter.spring.address.ClientAddress;
import dev.limiter.spring.context.RateLimitContext;
import dev.limiter.spring.context.RequestView;
import dev.limiter.spring.failure.Problems;
import dev.limiter.spring.rule.RuleDefinition;
import dev.limiter.spring.rule.RuleOptions;
import dev.limiter.spring.rule.Setting;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The allow list and the deny list of a rule. Calls outside of a request match neither. Immutable. */
public record AddressLists(AddressRanges allow, AddressRanges deny) {

    public static final AddressLists NONE = new AddressLists(AddressRanges.NONE, AddressRanges.NONE);

    public static AddressLists compile(RuleDefinition definition, Problems problems) {
        return new AddressLists(
                ranges(definition.get(RuleOptions.ALLOW), problems),
                ranges(definition.get(RuleOptions.DENY), problems));
    }

    /** Returns the union of both lists. */
    public AddressLists and(AddressLists others) {
        return new AddressLists(allow.and(others.allow), deny.and(others.deny));
    }

    private static AddressRanges ranges(@Nullable Setting<List<String>> setting, Problems problems) {
        return setting == null ? AddressRanges.NONE : AddressRanges.parse(setting.where(), setting.value(), problems);
    }

    /** Returns whether the client is on the allow list. A client with an uncertain address never is. */
    boolean allow(RateLimitContext context) {
        ClientAddress client = allow.isEmpty() ? null : client(context);
        return client != null && client.certain() && allow.contains(client.address());
    }

    /** Returns whether the client is on the deny list. */
    boolean deny(RateLimitContext context) {
        ClientAddress client = deny.isEmpty() ? null : client(context);
        return client != null && deny.contains(client.address());
    }

    private static @Nullable ClientAddress client(RateLimitContext context) {
        RequestView request = context.request();
        return request == null ? null : request.client();
    }
}
