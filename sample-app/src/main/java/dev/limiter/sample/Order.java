package dev.limiter.sample;

record Order(long id, String item) {}
