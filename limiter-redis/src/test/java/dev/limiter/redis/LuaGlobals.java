package dev.limiter.redis;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.TreeSet;

/**
 * Finds the names of the globals that a Lua 5.1 chunk uses, from its bytecode ({@code lopcodes.h}, {@code ldump.c}).
 */
final class LuaGlobals {

    private static final int HEADER = 12;
    private static final int GETGLOBAL = 5;
    private static final int SETGLOBAL = 7;

    private final ByteBuffer code;
    private final Set<String> names = new TreeSet<>();

    private LuaGlobals(byte[] dumped) {
        code = ByteBuffer.wrap(dumped).order(ByteOrder.LITTLE_ENDIAN).position(HEADER);
    }

    /** Returns the globals of a chunk that was dumped by {@code string.dump} on a 64-bit machine. */
    static Set<String> of(byte[] dumped) {
        LuaGlobals globals = new LuaGlobals(dumped);
        globals.function();
        return globals.names;
    }

    private void function() {
        text();
        skip(2 * Integer.BYTES + 4);
        int[] instructions = new int[code.getInt()];
        for (int i = 0; i < instructions.length; i++) {
            instructions[i] = code.getInt();
        }
        String[] constants = new String[code.getInt()];
        for (int i = 0; i < constants.length; i++) {
            constants[i] = constant();
        }
        for (int instruction : instructions) {
            int operation = instruction & 0x3f;
            if (operation == GETGLOBAL || operation == SETGLOBAL) {
                names.add(constants[instruction >>> 14]);
            }
        }
        for (int functions = code.getInt(); functions > 0; functions--) {
            function();
        }
        debugging();
    }

    private void debugging() {
        skip(code.getInt() * Integer.BYTES);
        for (int locals = code.getInt(); locals > 0; locals--) {
            text();
            skip(2 * Integer.BYTES);
        }
        for (int upvalues = code.getInt(); upvalues > 0; upvalues--) {
            text();
        }
    }

    private String constant() {
        byte type = code.get();
        return switch (type) {
            case 0 -> "nil";
            case 1 -> "" + code.get();
            case 3 -> "" + code.getDouble();
            case 4 -> text();
            default -> throw new IllegalArgumentException("Constant of type " + type);
        };
    }

    private String text() {
        byte[] bytes = new byte[(int) code.getLong()];
        code.get(bytes);
        return new String(bytes, 0, Math.max(bytes.length - 1, 0), StandardCharsets.UTF_8);
    }

    private void skip(int bytes) {
        code.position(code.position() + bytes);
    }
}
