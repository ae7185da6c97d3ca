package dev.limiter.sample;

import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

@RestController
class UploadController {

    // A cost per limit: limiter.rules.uploads counts requests and bytes.
    @PostMapping("/uploads")
    String upload(@RequestBody byte[] file) {
        return file.length + " bytes";
    }
}
