package dev.limiter.spring.key;

/**
 * The key of one request or call.
 *
 * @param text as storages have it
 * @param client the parts that identify the client, the same at each resource; all but the resource if there are none
 * @param unresolved whether unidentified clients share it: some part has no value, and no part identifies the client
 */
public record ResolvedKey(String text, String client, boolean unresolved) {}
