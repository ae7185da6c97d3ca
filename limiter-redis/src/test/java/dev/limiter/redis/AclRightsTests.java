package dev.limiter.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** The guide lists exactly the rights that the module needs. */
class AclRightsTests {

    @Test
    void matchTheGuide() throws IOException {
        assertThat(Files.readString(Path.of("../docs/guides/redis.md")))
                .contains("```text\n~limiter:* " + AclRights.NEEDED + "\n```");
    }
}
