package dev.limiter.spring.webflux;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** The starter holds the rules of all modules. */
@AnalyzeClasses(packages = "dev.limiter.spring.webflux", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTests {

    @ArchTest
    static final ArchRule knowsNeitherBootNorStorageNorServlets = noClasses()
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(
                    "org.springframework.boot..",
                    "org.springframework.data..",
                    "jakarta.servlet..",
                    "dev.limiter.memory..",
                    "dev.limiter.redis..",
                    "dev.limiter.spring.web",
                    "dev.limiter.spring.aop..");

    /** An event loop must not wait. Explanations and the start of an application have threads of their own. */
    @ArchTest
    static final ArchRule neverBlocks = noClasses()
            .that()
            .doNotHaveFullyQualifiedName(ExchangeExplainer.class.getName())
            .and()
            .doNotHaveFullyQualifiedName(UnmatchedServerPathsCheck.class.getName())
            .should()
            .callMethod(reactor.core.publisher.Mono.class, "block")
            .orShould()
            .callMethod(reactor.core.publisher.Flux.class, "blockFirst")
            .orShould()
            .callMethod(java.util.concurrent.CompletableFuture.class, "join");
}
