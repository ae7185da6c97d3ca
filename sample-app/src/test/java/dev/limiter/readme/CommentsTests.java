package dev.limiter.readme;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Sentences in comments of the product begin with a noun, not with a relative clause or an indefinite pronoun. */
class CommentsTests {

    /** Text blocks, strings and characters come first, so that they hide the comments in them. */
    private static final Pattern JAVA = Pattern.compile("\"\"\"[\\s\\S]*?\"\"\"|\"(?:\\\\.|[^\"\\\\\\n])*+\""
            + "|'(?:\\\\.|[^'\\\\\\n])++'|/\\*[\\s\\S]*?\\*/|(?://[^\\n]*+\\n?[ \\t]*+)++");

    private static final Pattern LUA =
            Pattern.compile("\"(?:\\\\.|[^\"\\\\\\n])*+\"|'(?:\\\\.|[^'\\\\\\n])*+'|(?:--[^\\n]*+\\n?[ \\t]*+)++");

    private static final Pattern DECORATION =
            Pattern.compile("^[ \\t]*+(?:/\\*\\*?|\\*(?!/)|//|--)|\\*/", Pattern.MULTILINE);

    private static final Pattern SENTENCE =
            Pattern.compile("(?:\\A|[.?!][\"')]*\\s|<p>|<li>|@(?:param|throws)\\s+\\S+\\s|@return\\s|\\n[ \\t]*\\n)\\s*"
                    + "((?:What|Who|Whom|Whose|Which|Whatever|Whoever|Whichever|Nobody|Nothing|Somebody|Someone"
                    + "|Anybody|Anyone|Everybody|Everyone)\\b[^.]{0,40})");

    @Test
    void beginWithANoun() throws IOException {
        List<Path> sources = Sources.in("src/main").stream()
                .filter(file ->
                        file.toString().endsWith(".java") || file.toString().endsWith(".lua"))
                .toList();
        assertThat(sources).hasSizeGreaterThan(400);
        List<String> found = new ArrayList<>();
        for (Path source : sources) {
            find(source.toString(), Files.readString(source), found);
        }
        assertThat(found).isEmpty();
    }

    @Test
    void otherBeginningsAreFound() {
        List<String> found = new ArrayList<>();
        find("A.java", """
                /** Who asks. */
                class A {
                    // Waiters come first.
                    // Nobody overtakes them.
                    String text = "// What a string is"; // What is behind it

                    /**
                     * Waits; what a waiter does.
                     *
                     * <p>Whoever waits is patient.
                     *
                     * @param a What it is
                     */
                    void a(char quote = '"') {} /* Nothing. */
                }
                """, found);
        find("a.lua", "local text = '-- What' -- Which is no comment\n-- A hold ends. Nothing is left.\n", found);
        assertThat(found)
                .containsExactly(
                        "A.java:1: Who asks",
                        "A.java:4: Nobody overtakes them",
                        "A.java:5: What is behind it",
                        "A.java:10: Whoever waits is patient",
                        "A.java:12: What it is",
                        "A.java:14: Nothing",
                        "a.lua:1: Which is no comment",
                        "a.lua:2: Nothing is left");
    }

    private static void find(String file, String source, List<String> found) {
        Matcher comment = (file.endsWith(".lua") ? LUA : JAVA).matcher(source);
        while (comment.find()) {
            if ("/-".indexOf(source.charAt(comment.start())) >= 0) {
                findInComment(file, source, comment, found);
            }
        }
    }

    private static void findInComment(String file, String source, Matcher comment, List<String> found) {
        String text = DECORATION
                .matcher(comment.group())
                .replaceAll(decoration -> " ".repeat(decoration.group().length()));
        Matcher sentence = SENTENCE.matcher(text);
        while (sentence.find()) {
            long line = source.substring(0, comment.start() + sentence.start(1))
                    .lines()
                    .count();
            found.add(file + ":" + line + ": "
                    + sentence.group(1).lines().findFirst().orElseThrow().strip());
        }
    }
}
