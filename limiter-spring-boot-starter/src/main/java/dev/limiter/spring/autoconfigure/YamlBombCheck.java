package dev.limiter.spring.autoconfigure;

import java.io.ByteArrayInputStream;
import java.util.List;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.NodeTuple;
import org.yaml.snakeyaml.nodes.SequenceNode;
import org.yaml.snakeyaml.reader.UnicodeReader;

/** Counts the values of a YAML text with all aliases written out: a few lines can stand for billions of them. */
final class YamlBombCheck {

    /** As many as a file of 1 MB has without aliases. */
    private static final int MOST = 100_000;

    private static final int DEEPEST = 50;

    private YamlBombCheck() {}

    /**
     * Returns whether there are at most {@value #MOST} values.
     *
     * @throws org.yaml.snakeyaml.error.YAMLException if it is no YAML
     */
    static boolean isBounded(byte[] content) {
        LoaderOptions options = new LoaderOptions();
        options.setMaxAliasesForCollections(Integer.MAX_VALUE);
        options.setAllowDuplicateKeys(false);
        int left = MOST;
        for (Node document : new Yaml(options).composeAll(new UnicodeReader(new ByteArrayInputStream(content)))) {
            left = left(document, 0, left);
        }
        return left >= 0;
    }

    /** A value that contains itself by an alias is too deep. */
    private static int left(Node node, int depth, int before) {
        int left = depth > DEEPEST ? -1 : before - 1;
        if (node instanceof SequenceNode sequence) {
            return left(sequence.getValue(), depth, left);
        }
        return node instanceof MappingNode mapping
                ? left(mapping.getValue().stream().map(NodeTuple::getValueNode).toList(), depth, left)
                : left;
    }

    private static int left(List<Node> nodes, int depth, int before) {
        int left = before;
        for (int i = 0; i < nodes.size() && left >= 0; i++) {
            left = left(nodes.get(i), depth + 1, left);
        }
        return left;
    }
}
