package dev.limiter.spring.address;

import dev.limiter.spring.failure.MessageCode;
import dev.limiter.spring.failure.Problems;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A list of networks. Immutable. */
public record AddressRanges(List<AddressRange> ranges) {

    public static final AddressRanges NONE = new AddressRanges(List.of());

    public AddressRanges {
        ranges = List.copyOf(ranges);
    }

    /** Parses the networks of a property. Adds invalid ones to the problems. */
    public static AddressRanges parse(String where, List<String> texts, Problems problems) {
        return new AddressRanges(texts.stream()
                .map(text -> range(where, text, problems))
                .filter(Objects::nonNull)
                .toList());
    }

    private static @Nullable AddressRange range(String where, String text, Problems problems) {
        try {
            return AddressRange.parse(text);
        } catch (IllegalArgumentException exception) {
            problems.add(MessageCode.ADDRESSES, where, text, exception.getMessage() + ".");
            return null;
        }
    }

    /** Returns the union of both lists. */
    public AddressRanges and(AddressRanges others) {
        return new AddressRanges(
                Stream.concat(ranges.stream(), others.ranges.stream()).toList());
    }

    public boolean isEmpty() {
        return ranges.isEmpty();
    }

    public boolean contains(@Nullable IpAddress address) {
        for (AddressRange range : ranges) {
            if (range.contains(address)) {
                return true;
            }
        }
        return false;
    }

    /** Returns whether one of them contains all IPv4 or all IPv6 addresses. */
    boolean containsAll() {
        return ranges.stream().anyMatch(AddressRange::containsAll);
    }
}
