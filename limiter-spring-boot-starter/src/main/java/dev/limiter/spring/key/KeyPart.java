package dev.limiter.spring.key;

/** One part of a key. */
interface KeyPart {}
