package dev.limiter.redis;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import dev.limiter.PackageSize;
import java.util.Map;

@AnalyzeClasses(packages = "dev.limiter.redis", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTests {

    @ArchTest
    static final ArchRule dependsOnTheCoreAndLettuceOnly = classes()
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage(
                    "java..",
                    "org.jspecify..",
                    "io.lettuce.core..",
                    "dev.limiter",
                    "dev.limiter.failover",
                    "dev.limiter.redis..");

    /** Neither the texts of scripts nor the answers that are known ahead send anything. */
    @ArchTest
    static final ArchRule scriptsAndPermitsAheadKnowNoClient = noClasses()
            .that()
            .resideInAnyPackage("dev.limiter.redis.script", "dev.limiter.redis.ahead")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("dev.limiter.redis", "io.lettuce..");

    @ArchTest
    static final ArchRule packagesHaveNoCycles =
            slices().matching("dev.limiter.(**)").should().beFreeOfCycles();

    @ArchTest
    static void packagesAreSmall(JavaClasses classes) {
        PackageSize.check(classes, Map.of());
    }
}
