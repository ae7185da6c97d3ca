package dev.limiter.benchmarks;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.core.importer.Location;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.junit.ArchTests;
import dev.limiter.testkit.ArchitectureRules;

/** The rules of all modules, for the benchmarks. */
@AnalyzeClasses(
        packages = "dev.limiter.benchmarks",
        importOptions = {ImportOption.DoNotIncludeTests.class, ArchitectureTests.Written.class})
class ArchitectureTests {

    @ArchTest
    static final ArchTests ofAllModules = ArchTests.in(ArchitectureRules.class);

    /** JMH generates a dozen classes for each benchmark. */
    static final class Written implements ImportOption {

        @Override
        public boolean includes(Location location) {
            return !location.contains("/jmh_generated/");
        }
    }
}
