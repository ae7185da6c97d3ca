package dev.limiter.readme;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.testkit.manual.Manual;
import dev.limiter.testkit.manual.Manual.Block;
import dev.limiter.testkit.manual.Transcript;
import dev.limiter.testkit.manual.Transcript.Step;
import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.w3c.dom.Document;
import org.w3c.dom.Node;
import org.xml.sax.InputSource;
import org.xml.sax.SAXException;

/** Checks that each code block of the manual has a test, or a reason for none. */
class FenceTests {

    private static final Path ROOT = Path.of("..");

    /** Which blocks of a language are tested; the comment names the test. */
    private static final Map<String, Predicate<Block>> TESTED = Map.of(
            "java", block -> true, // ReadmeTests, TutorialTests, GuideTests: compiled
            "yaml", block -> true, // ReadmeTests: an application starts with it
            "yml", block -> block.page().endsWith("reference/messages.md"), // MessageExamplesTests: it does not start
            "xml", block -> true, // below
            "shell", block -> true, // below
            "console",
                    block -> TranscriptTests.PAGES.contains(block.page())
                            || isTutorial(block)
                            || GuideTests.isRun(block.page()),
            "json", block -> block.text().contains("\"from\"") || isHeld(block), // TranscriptTests
            "properties", block -> block.text().contains("limiter.rejected."), // TranscriptTests
            "text", FenceTests::isExplained);

    /** Pages with {@code text} blocks, each with the reason or the test. */
    private static final Map<String, String> TEXTS = Map.of(
            "reference/key-grammar.md", "grammar: KeyParserTests parse each form",
            "reference/algorithms.md", "formulas: BoundTests compare the bounds",
            "internals/architecture.md", "drawings",
            "reference/messages.md", "messages: BadConfigurationTests and KeylessRuleCheckTests compare them",
            "reference/endpoint.md", "a line of the log: RejectedCallerTests read it",
            "guides/redis.md", "rights: RightsTests compare them");

    /** Commands that no test runs; the names in them are checked instead. */
    private static final List<Pattern> COMMANDS = List.of(
            // takes minutes, or the whole build
            Pattern.compile("mvn(?: -q| -am| -Plong| -Pbenchmarks| -Pwebflux| -pl (?<module>\\S+)"
                    + "| package| test| install| verify| spring-boot:run"
                    + "| -Dtest=(?<test>\\w+)| -D[\\w.-]+(?:=\\S+)?)+"),
            // measures for minutes
            Pattern.compile(
                    "java (?:-Xm\\w+ )?-cp (?<module>[\\w-]+)/target/benchmarks\\.jar (?<type>[\\w.]+)(?: [\\w./-]+)*"),
            Pattern.compile("java -jar (?<module>[\\w-]+)/target/benchmarks\\.jar (?<test>\\w+)(?: -\\w+(?: \\w+)?)*"),
            // builds everything that is published
            Pattern.compile("(?<script>\\.ci/[\\w-]+)(?: \\S+)*"));

    @ParameterizedTest
    @MethodSource("blocks")
    void exampleIsTested(Block block) {
        assertThat(TESTED).containsKey(block.language());
        assertThat(TESTED.get(block.language()).test(block)).as(block.text()).isTrue();
    }

    /** HeldPermitsTests compare each member with a response. */
    private static boolean isHeld(Block block) {
        return Transcript.json(block.text()).containsKey("held");
    }

    private static boolean isTutorial(Block block) {
        return block.page().equals(TutorialTests.PAGE);
    }

    private static boolean isExplained(Block block) {
        return TEXTS.containsKey(
                Manual.FOLDER.relativize(block.page()).toString().replace('\\', '/'));
    }

    @ParameterizedTest
    @MethodSource("commands")
    void commandNamesWhatThereIs(String command) {
        Matcher matcher = COMMANDS.stream()
                .map(known -> known.matcher(command))
                .filter(Matcher::matches)
                .findFirst()
                .orElseThrow(() -> new AssertionError("Not among the known commands: " + command));
        String module = group(matcher, "module");
        if (module != null) {
            assertThat(module.split(","))
                    .allSatisfy(each ->
                            assertThat(ROOT.resolve(each).resolve("pom.xml")).exists());
        }
        String type = group(matcher, "type");
        if (type != null) {
            assertThat(ROOT.resolve(module).resolve("src/main/java/" + type.replace('.', '/') + ".java"))
                    .content()
                    .contains("static void main(");
        }
        String test = group(matcher, "test");
        if (test != null) {
            assertThat(namesIn(ROOT.resolve(module).resolve("src"))).contains(test + ".java");
        }
        String script = group(matcher, "script");
        if (script != null) {
            assertThat(ROOT.resolve(script)).isExecutable();
        }
    }

    private static String group(Matcher matcher, String name) {
        return matcher.pattern().pattern().contains("(?<" + name + ">") ? matcher.group(name) : null;
    }

    private static List<String> namesIn(Path folder) {
        return Sources.files(folder).stream()
                .map(file -> file.getFileName().toString())
                .toList();
    }

    @ParameterizedTest
    @MethodSource("dependencies")
    void dependencyIsBuiltHere(Block block) throws Exception {
        Document dependency = parse(block.text());
        Document pom = parse(
                Files.readString(ROOT.resolve(text(dependency, "artifactId")).resolve("pom.xml")));
        Document parent = parse(Files.readString(ROOT.resolve("pom.xml")));
        assertThat(dependency.getDocumentElement().getTagName()).isEqualTo("dependency");
        assertThat(text(dependency, "groupId")).isEqualTo(text(parent, "groupId"));
        assertThat(text(dependency, "version")).isEqualTo(text(parent, "version"));
        assertThat(children(pom, "artifactId")).contains(text(dependency, "artifactId"));
        assertThat(Set.of("compile", "test")).containsAll(children(dependency, "scope"));
    }

    private static Document parse(String xml) throws ParserConfigurationException, SAXException, IOException {
        return DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(new InputSource(new StringReader(xml)));
    }

    private static String text(Document document, String element) {
        return children(document, element).get(0);
    }

    /** Returns the text of the root's children with this name. */
    private static List<String> children(Document document, String element) {
        Node root = document.getDocumentElement();
        return Stream.iterate(root.getFirstChild(), child -> child != null, Node::getNextSibling)
                .filter(child -> child.getNodeName().equals(element))
                .map(Node::getTextContent)
                .toList();
    }

    static Stream<Block> blocks() {
        return Manual.blocks();
    }

    @ParameterizedTest
    @MethodSource("springDependencies")
    void dependencyOfSpringBootIsThatOfTheSample(Block block) throws Exception {
        Document dependency = parse(block.text());
        assertThat(children(dependency, "version")).isEmpty();
        assertThat(ROOT.resolve("sample-app/pom.xml")).content().contains(element(dependency, "artifactId"));
    }

    private static String element(Document document, String name) {
        return "<" + name + ">" + text(document, name) + "</" + name + ">";
    }

    static Stream<Block> dependencies() {
        return Manual.blocks("xml").filter(block -> !isOfSpringBoot(block));
    }

    static Stream<Block> springDependencies() {
        return Manual.blocks("xml").filter(FenceTests::isOfSpringBoot);
    }

    private static boolean isOfSpringBoot(Block block) {
        return block.text().contains("<groupId>org.springframework.boot</groupId>");
    }

    /** Returns the commands in {@code shell} blocks, and those that start the sample with Maven. */
    static Stream<String> commands() {
        return Stream.concat(
                        Manual.blocks("shell").flatMap(block -> block.lines().stream()),
                        Manual.blocks("console")
                                .filter(block -> !isTutorial(block))
                                .flatMap(block -> Transcript.steps(block).stream())
                                .map(Step::command)
                                .filter(command -> command.startsWith("mvn ")))
                .flatMap(line -> Arrays.stream(line.split(" && ")));
    }
}
