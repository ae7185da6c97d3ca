package dev.limiter.sample;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

@ExtendWith(OutputCaptureExtension.class)
class SampleStartTests extends SampleStartContract {

    private CapturedOutput output;

    @BeforeEach
    void capture(CapturedOutput output) {
        this.output = output;
    }

    @Override
    protected String logOf(String... arguments) {
        SpringApplication.run(SampleApplication.class, arguments).close();
        return output.toString();
    }
}
