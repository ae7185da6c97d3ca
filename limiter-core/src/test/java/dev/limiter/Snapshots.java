package dev.limiter;

import static org.assertj.core.api.Assertions.assertThat;

/** Compares a snapshot of a refusal with the refusal. */
final class Snapshots {

    private Snapshots() {}

    static void assertSame(Decision snapshot, Decision refused) {
        assertThat(refused.permitted()).isFalse();
        assertThat(snapshot).isNotSameAs(refused);
        assertThat(snapshot.permitted()).isFalse();
        assertThat(snapshot.never()).isEqualTo(refused.never());
        assertThat(snapshot.remaining()).isEqualTo(refused.remaining());
        assertThat(snapshot.retryAfter()).isEqualTo(refused.retryAfter());
        assertThat(snapshot.resetAfter()).isEqualTo(refused.resetAfter());
        assertThat(snapshot.rule()).isSameAs(refused.rule());
        assertThat(snapshot.limit()).isSameAs(refused.limit());
        assertThat(snapshot.limits()).isEqualTo(refused.limits());
        assertThat(snapshot.parts()).hasSameSizeAs(refused.parts());
        assertThat(snapshot).hasToString(refused.toString());
        for (int i = 0; i < refused.parts().size() && refused.parts().size() > 1; i++) {
            assertThat(snapshot.parts().get(i).permitted())
                    .isEqualTo(refused.parts().get(i).permitted());
            assertThat(snapshot.parts().get(i).limits())
                    .isEqualTo(refused.parts().get(i).limits());
        }
    }
}
