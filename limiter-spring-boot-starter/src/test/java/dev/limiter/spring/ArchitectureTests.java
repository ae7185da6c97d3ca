package dev.limiter.spring;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.junit.ArchTests;
import com.tngtech.archunit.lang.ArchRule;
import dev.limiter.testkit.ArchitectureRules;

/** Rules for {@code dev.limiter.spring} in all modules. */
@AnalyzeClasses(packages = "dev.limiter.spring", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTests {

    @ArchTest
    static final ArchTests ofAllModules = ArchTests.in(ArchitectureRules.class);

    @ArchTest
    static final ArchRule onlyWiringAndOperationsKnowBoot = noClasses()
            .that()
            .resideOutsideOfPackages(
                    "dev.limiter.spring.autoconfigure..",
                    "dev.limiter.spring.config..",
                    "dev.limiter.spring.actuate.endpoint..",
                    "dev.limiter.spring.actuate.health..",
                    "dev.limiter.spring.autoconfigure..",
                    "dev.limiter.spring.autoconfigure..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("org.springframework.boot..");
}
