package dev.limiter.spring.decide;

import dev.limiter.Decision;
import dev.limiter.Limit;
import dev.limiter.LimitStatus;
import dev.limiter.OnFailure;
import dev.limiter.Rule;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** A permission for code that also releases the permits of shadow rules and {@link PermitHolders}. */
final class CodeDecision extends Decision {

    private final Decision permission;
    private final Verdict verdict;

    CodeDecision(Decision permission, Verdict verdict) {
        this.permission = permission;
        this.verdict = verdict;
    }

    @Override
    public boolean permitted() {
        return true;
    }

    @Override
    public Optional<OnFailure> onFailure() {
        return permission.onFailure();
    }

    @Override
    public Rule rule() {
        return permission.rule();
    }

    @Override
    public Limit limit() {
        return permission.limit();
    }

    @Override
    public List<LimitStatus> limits() {
        return permission.limits();
    }

    @Override
    public Duration delay() {
        return permission.delay();
    }

    @Override
    public void giveBack() {
        verdict.giveBack();
    }

    @Override
    public void close() {
        verdict.close();
    }

    @Override
    public long remaining() {
        return permission.remaining();
    }

    @Override
    public boolean never() {
        return false;
    }

    @Override
    public Optional<Duration> retryAfter() {
        return permission.retryAfter();
    }

    @Override
    public Duration resetAfter() {
        return permission.resetAfter();
    }

    @Override
    public List<Decision> parts() {
        return permission.parts();
    }
}
