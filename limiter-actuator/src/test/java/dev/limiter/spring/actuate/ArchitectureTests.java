package dev.limiter.spring.actuate;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.type;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import dev.limiter.redis.StorageStatistics;

/** Rules for this module; rules for all modules are in the starter. */
@AnalyzeClasses(packages = "dev.limiter.spring.actuate", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTests {

    @ArchTest
    static final ArchRule knowsNeitherConfigurationNorEdge = noClasses()
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
    static final ArchRule ofRedisOnlyCountsAreRead = noClasses()
            .should()
            .dependOnClassesThat(resideInAPackage("dev.limiter.redis..").and(not(type(StorageStatistics.class))));

    /** Actuator and Micrometer are optional, independent of each other. */
    @ArchTest
    static final ArchRule metricsNeedNoActuator = noClasses()
            .that()
            .resideInAPackage("dev.limiter.spring.actuate.metrics")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("org.springframework.boot..");

    @ArchTest
    static final ArchRule actuatorNeedsNoMicrometer = noClasses()
            .that()
            .resideOutsideOfPackage("dev.limiter.spring.actuate.metrics")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("io.micrometer..");
}
