package dev.limiter;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import java.util.Map;
import java.util.stream.Collectors;

/** Checks that a package has no more files than a reader can survey. */
public final class PackageSize {

    private static final int MOST_FILES = 25;

    private PackageSize() {}

    /** {@code larger}: how many files those packages may have that may have more, so that they do not grow either. */
    public static void check(JavaClasses classes, Map<String, Integer> larger) {
        Map<String, Long> files = classes.stream()
                .filter(JavaClass::isTopLevelClass)
                .collect(Collectors.groupingBy(JavaClass::getPackageName, Collectors.counting()));
        assertThat(files).isNotEmpty();
        files.forEach((name, count) ->
                assertThat(count).as("files of " + name).isLessThanOrEqualTo(larger.getOrDefault(name, MOST_FILES)));
    }
}
