package dev.limiter.spring.web;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** The starter contains the architecture rules for all modules. */
@AnalyzeClasses(packages = "dev.limiter.spring.web", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTests {

    @ArchTest
    static final ArchRule knowsNeitherBootNorStorage = noClasses()
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(
                    "org.springframework.boot..",
                    "org.springframework.data..",
                    "dev.limiter.memory..",
                    "dev.limiter.redis..",
                    "dev.limiter.spring.aop..");
}
