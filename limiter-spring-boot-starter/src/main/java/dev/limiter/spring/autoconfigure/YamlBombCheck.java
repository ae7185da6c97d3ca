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

/** Counts the values of a YAML document with all aliases expanded: a few lines can expand to billions of values. */
final class YamlBombCheck {

    /** The most that a file of 1 MB can have without aliases. */
    private static final int MOST = 100_000;

    private static final int DEEPEST = 50;

    private YamlBombCheck() {}

    /**
     * Returns whether there are at most {@value #MOST} values.
     *
     * @throws org.yaml.snakeyaml.error.YAMLException if the document is invalid
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

    /** Also bounds the depth, because an alias can make a value contain itself. */
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
