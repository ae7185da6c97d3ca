package dev.limiter.spring.reload;

import java.io.ByteArrayInputStream;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.NodeTuple;
import org.yaml.snakeyaml.nodes.ScalarNode;
import org.yaml.snakeyaml.nodes.SequenceNode;
import org.yaml.snakeyaml.reader.UnicodeReader;

/**
 * The memory of the properties of a YAML text, each with its whole name and all aliases written out: a few lines of
 * aliases can stand for billions of properties. Not thread-safe.
 */
final class YamlBombCheck {

    /** The largest text, in characters: half a million short properties. */
    static final long LARGEST = 1L << 25;

    /** The memory of a property besides its name. */
    private static final long OF_PROPERTY = 64;

    private static final int OF_INDEX = 8;

    private static final Extent TOO_LARGE = new Extent(LARGEST, LARGEST + 1);

    private final Map<Node, Extent> known = new IdentityHashMap<>();
    private final Set<Node> open = Collections.newSetFromMap(new IdentityHashMap<>());

    /** Numbers beyond {@link #LARGEST} are cut: more is all the same. */
    private record Extent(long properties, long characters) {

        Extent within(int nameLength) {
            return plus(0, properties * nameLength);
        }

        Extent plus(Extent other) {
            return plus(other.properties, other.characters);
        }

        private Extent plus(long moreProperties, long moreCharacters) {
            return new Extent(
                    Math.min(properties + moreProperties, LARGEST), Math.min(characters + moreCharacters, LARGEST + 1));
        }
    }

    private YamlBombCheck() {}

    /**
     * Whether the properties of the text take {@link #LARGEST} characters at most.
     *
     * @throws org.yaml.snakeyaml.error.YAMLException if it is no YAML
     */
    static boolean isBounded(byte[] content) {
        LoaderOptions options = new LoaderOptions();
        options.setMaxAliasesForCollections(Integer.MAX_VALUE);
        options.setAllowDuplicateKeys(false);
        Extent all = new Extent(0, 0);
        for (Node document : new Yaml(options).composeAll(new UnicodeReader(new ByteArrayInputStream(content)))) {
            all = all.plus(new YamlBombCheck().of(document));
        }
        return all.characters <= LARGEST;
    }

    private Extent of(Node node) {
        Extent size = known.get(node);
        if (size != null) {
            return size;
        }
        if (!open.add(node)) { // an alias of what it is in
            return TOO_LARGE;
        }
        size = written(node);
        open.remove(node);
        known.put(node, size);
        return size;
    }

    private Extent written(Node node) {
        Extent sum = new Extent(0, 0);
        if (node instanceof MappingNode mapping) {
            for (NodeTuple entry : mapping.getValue()) {
                int name = entry.getKeyNode() instanceof ScalarNode key
                        ? key.getValue().length() + 1
                        : OF_INDEX;
                sum = sum.plus(of(entry.getValueNode()).within(name));
            }
        } else if (node instanceof SequenceNode sequence) {
            List<Node> elements = sequence.getValue();
            for (Node element : elements) {
                sum = sum.plus(of(element).within(OF_INDEX));
            }
        }
        return sum.properties() == 0 ? new Extent(1, OF_PROPERTY) : sum;
    }
}
