package dev.limiter.spring;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** All of {@code dev.limiter.spring}, in whichever module it is. */
@AnalyzeClasses(packages = "dev.limiter.spring", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTests {

    @ArchTest
    static final ArchRule onlyTheEdgeKnowsServlets = noClasses()
            .that()
            .resideOutsideOfPackages("dev.limiter.spring.web..", "dev.limiter.spring.autoconfigure..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("jakarta.servlet..");

    @ArchTest
    static final ArchRule onlyTheStarterKnowsBoot = noClasses()
            .that()
            .resideOutsideOfPackages(
                    "dev.limiter.spring.autoconfigure..",
                    "dev.limiter.spring.config..",
                    "dev.limiter.spring.endpoint..",
                    "dev.limiter.spring.health..",
                    "dev.limiter.spring.metrics..",
                    "dev.limiter.spring.redis..",
                    "dev.limiter.spring.reload..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("org.springframework.boot..");

    @ArchTest
    static final ArchRule packagesHaveNoCycles =
            slices().matching("dev.limiter.spring.(*)..").should().beFreeOfCycles();
}
