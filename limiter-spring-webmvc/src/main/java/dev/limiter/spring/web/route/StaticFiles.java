package dev.limiter.spring.web.route;

import java.io.IOException;
import java.util.List;
import org.springframework.core.io.Resource;

/** Whether static files can be below a path. */
final class StaticFiles {

    private StaticFiles() {}

    /** Looks for what stands before the first segment that is not literal; true if nothing does. */
    static boolean mayBeUnder(String pathPattern, List<Resource> locations) {
        String literal = literalSegments(pathPattern);
        return literal.isEmpty() || locations.stream().anyMatch(location -> exists(location, literal));
    }

    private static String literalSegments(String pathPattern) {
        StringBuilder literal = new StringBuilder();
        for (String segment : pathPattern.split("/")) {
            if (segment.matches(".*[*?{].*")) {
                break;
            }
            if (!segment.isEmpty()) {
                literal.append(literal.isEmpty() ? "" : "/").append(segment);
            }
        }
        return literal.toString();
    }

    /** In an archive, only a name with a slash at its end is a folder. */
    private static boolean exists(Resource location, String path) {
        try {
            return location.createRelative(path).exists()
                    || location.createRelative(path + "/").exists();
        } catch (IOException unknown) {
            return true;
        }
    }
}
