package dev.limiter.test;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.junit.ArchTests;
import dev.limiter.testkit.ArchitectureRules;

/** The rules of all modules, for limiter-test. */
@AnalyzeClasses(packages = "dev.limiter.test", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTests {

    @ArchTest
    static final ArchTests ofAllModules = ArchTests.in(ArchitectureRules.class);
}
