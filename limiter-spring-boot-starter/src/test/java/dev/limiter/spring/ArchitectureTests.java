package dev.limiter.spring;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.type;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.junit.ArchTests;
import com.tngtech.archunit.lang.ArchRule;
import dev.limiter.redis.StorageStatistics;
import dev.limiter.testkit.ArchitectureRules;

/** Modules of {@code dev.limiter.spring} depend only on those below them, and on optional libraries in one place. */
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
                    "dev.limiter.spring.actuate.health..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("org.springframework.boot..");

    @ArchTest
    static final ArchRule servletEdgeKnowsNoStorage = noClasses()
            .that()
            .resideInAPackage("dev.limiter.spring.web..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(
                    "org.springframework.data..",
                    "dev.limiter.memory..",
                    "dev.limiter.redis..",
                    "dev.limiter.spring.aop..");

    @ArchTest
    static final ArchRule actuatorKnowsNeitherConfigurationNorEdge = noClasses()
            .that()
            .resideInAPackage("dev.limiter.spring.actuate..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(
                    "org.springframework.boot.autoconfigure..",
                    "org.springframework.boot.actuate.autoconfigure..",
                    "org.springframework.boot.context..",
                    "org.springframework.web..",
                    "dev.limiter.spring.web..",
                    "dev.limiter.spring.aop..");

    @ArchTest
    static final ArchRule ofRedisActuatorReadsOnlyCounts = noClasses()
            .that()
            .resideInAPackage("dev.limiter.spring.actuate..")
            .should()
            .dependOnClassesThat(resideInAPackage("dev.limiter.redis..").and(not(type(StorageStatistics.class))));

    /** Actuator and Micrometer are optional, independent of each other. */
    @ArchTest
    static final ArchRule actuatorNeedsNoMicrometer = noClasses()
            .that()
            .resideInAnyPackage("dev.limiter.spring.actuate.endpoint..", "dev.limiter.spring.actuate.health..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("io.micrometer..");
}
