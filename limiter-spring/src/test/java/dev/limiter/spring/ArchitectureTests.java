package dev.limiter.spring;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** The starter contains the architecture rules for all modules. */
@AnalyzeClasses(packages = "dev.limiter.spring", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTests {

    @ArchTest
    static final ArchRule knowsNoEdge = classes()
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage(
                    "java..",
                    "javax.crypto..",
                    "dev.limiter..",
                    "org.jspecify..",
                    "org.apache.commons.logging..",
                    "org.aopalliance..",
                    "org.reactivestreams..",
                    "reactor.core..",
                    "reactor.util.context..",
                    "org.springframework.aop..",
                    "org.springframework.aot..",
                    "org.springframework.beans..",
                    "org.springframework.context..",
                    "org.springframework.core..",
                    "org.springframework.expression..",
                    "org.springframework.http..",
                    "org.springframework.javapoet..",
                    "org.springframework.scheduling.annotation..",
                    "org.springframework.stereotype..",
                    "org.springframework.util..",
                    "org.springframework.web.bind.annotation..",
                    "org.springframework.web.service.annotation..",
                    "org.springframework.web.util..");

    @ArchTest
    static final ArchRule knowsNoStorage = noClasses()
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("dev.limiter.memory..", "dev.limiter.redis..");

    @ArchTest
    static final ArchRule decidesWithoutMethods = noClasses()
            .that()
            .resideOutsideOfPackage("dev.limiter.spring.aop")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("dev.limiter.spring.aop");

    @ArchTest
    static final ArchRule definitionsKnowNoCompiler = noClasses()
            .that()
            .resideInAPackage("dev.limiter.spring.rule")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("dev.limiter.spring.compile");
}
