package dev.limiter.spring.web.route;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.springframework.core.io.ClassPathResource;
import org.springframework.core.io.Resource;
import org.springframework.core.io.support.PathMatchingResourcePatternResolver;
import org.springframework.core.io.support.ResourcePatternResolver;
import org.springframework.web.context.support.ServletContextResource;
import org.springframework.web.context.support.ServletContextResourcePatternResolver;
import org.springframework.web.servlet.resource.CachingResourceResolver;
import org.springframework.web.servlet.resource.EncodedResourceResolver;
import org.springframework.web.servlet.resource.PathResourceResolver;
import org.springframework.web.servlet.resource.ResourceHttpRequestHandler;

/** Whether static files can be below a path. */
final class StaticFiles {

    /** Resolvers that find no other files than those of the locations, by their paths. */
    private static final Set<Class<?>> BY_PATH =
            Set.of(PathResourceResolver.class, CachingResourceResolver.class, EncodedResourceResolver.class);

    private StaticFiles() {}

    /** Whether a handler has files below a path; true if that cannot be told. */
    static boolean mayBeUnder(String pathPattern, ResourceHttpRequestHandler handler) {
        return handler.getResourceResolvers().stream().anyMatch(resolver -> !BY_PATH.contains(resolver.getClass()))
                || mayBeUnder(pathPattern, handler.getLocations());
    }

    /**
     * Looks for what stands before the first segment that is not literal, and for that one too where it is no pattern of
     * several segments; true if that cannot be told.
     */
    static boolean mayBeUnder(String pathPattern, List<Resource> locations) {
        if (pathPattern.length() > 1 && pathPattern.endsWith("/")) {
            // no name of a file ends with one
            return false;
        }
        List<String> literal = new ArrayList<>();
        String wildcard = null;
        for (String segment : pathPattern.split("/")) {
            if (segment.matches(".*[*?{].*")) {
                wildcard = segment;
                break;
            }
            if (!segment.isEmpty()) {
                literal.add(segment);
            }
        }
        String path = String.join("/", literal);
        if (wildcard == null || wildcard.equals("**") || wildcard.startsWith("{*")) {
            return literal.isEmpty() || locations.stream().anyMatch(location -> exists(location, path));
        }
        String names = (literal.isEmpty() ? "" : path + "/") + names(wildcard);
        return locations.stream().anyMatch(location -> mayHave(location, path, names));
    }

    /** The pattern of names of files and folders, with a wildcard from the first variable to the last. */
    private static String names(String segment) {
        return segment.replaceAll("\\{.*}", "*");
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

    /** Whether a location has one of these names: what is packed with the application is listed, other folders may change. */
    private static boolean mayHave(Resource location, String path, String names) {
        if (!path.isEmpty() && !exists(location, path)) {
            // of a servlet context, a folder that is not there cannot be listed
            return false;
        }
        try {
            if (location instanceof ClassPathResource packed) {
                return anyOf(
                        new PathMatchingResourcePatternResolver(packed.getClassLoader()),
                        ResourcePatternResolver.CLASSPATH_ALL_URL_PREFIX + packed.getPath() + names);
            }
            if (location instanceof ServletContextResource packed) {
                return anyOf(
                        new ServletContextResourcePatternResolver(packed.getServletContext()),
                        packed.getPath() + names);
            }
            return true;
        } catch (IOException unknown) {
            return true;
        }
    }

    private static boolean anyOf(ResourcePatternResolver resolver, String names) throws IOException {
        return resolver.getResources(names).length > 0 || resolver.getResources(names + "/**").length > 0;
    }
}
