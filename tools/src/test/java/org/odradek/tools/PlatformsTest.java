// SPDX-License-Identifier: Apache-2.0
package org.odradek.tools;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Compares the table of docs/platforms.md with the native libraries in the jars. A library for glibc can also be loaded
 * on musl if it needs nothing but what musl has, which this reads from the library. Where musl is installed, its own
 * loader gives the same verdict for x86-64.
 */
class PlatformsTest
{
    private static final Path PAGE = Path.of("..", "docs", "platforms.md");
    private static final Path MUSL_LOADER = Path.of("/lib/ld-musl-x86_64.so.1");
    private static final String NONE = "";
    private static final String[][] LIBRARIES =
    {
        // The columns of the table: Linux with glibc and with musl on x86-64, then on aarch64; macOS; Windows.
        {"zstd", "linux/amd64/libzstd-jni-*.so", "linux/amd64/libzstd-jni-*.so",
            "linux/aarch64/libzstd-jni-*.so", "linux/aarch64/libzstd-jni-*.so", "darwin/x86_64/libzstd-jni-*.dylib",
            "darwin/aarch64/libzstd-jni-*.dylib", "win/amd64/libzstd-jni-*.dll", "win/aarch64/libzstd-jni-*.dll"},
        row("lz4", "net/jpountz/util/", "linux/amd64/liblz4-java.so", "linux/amd64/liblz4-java.so",
            "linux/aarch64/liblz4-java.so", "linux/aarch64/liblz4-java.so", "darwin/x86_64/liblz4-java.dylib",
            "darwin/aarch64/liblz4-java.dylib", "windows/amd64/liblz4-java.dll", "windows/aarch64/liblz4-java.dll"),
        row("snappy", "org/xerial/snappy/native/", "Linux/x86_64/libsnappyjava.so",
            "Linux/x86_64-musl/libsnappyjava.so", "Linux/aarch64/libsnappyjava.so", "Linux/aarch64/libsnappyjava.so",
            "Mac/x86_64/libsnappyjava.dylib", "Mac/aarch64/libsnappyjava.dylib", "Windows/x86_64/snappyjava.dll",
            "Windows/aarch64/snappyjava.dll"),
        row("epoll", "META-INF/native/libnetty_transport_native_epoll_", "x86_64.so", "x86_64.so", "aarch_64.so",
            "aarch_64.so", NONE, NONE, NONE, NONE),
        row("BoringSSL", "META-INF/native/libnetty_tcnative_linux_", "x86_64.so", "x86_64.so", "aarch_64.so",
            "aarch_64.so", NONE, NONE, NONE, NONE),
        row("pinned threads", "com/sun/jna/linux-", "x86-64/libjnidispatch.so", "x86-64/libjnidispatch.so",
            "aarch64/libjnidispatch.so", "aarch64/libjnidispatch.so", NONE, NONE, NONE, NONE),
    };
    private static final int MUSL_X86_64 = 2;
    private static final int MUSL_AARCH64 = 4;

    @TempDir
    private Path folder;

    private static String[] row(final String name, final String start, final String... ends)
    {
        final String[] row = new String[ends.length + 1];
        row[0] = name;
        Arrays.setAll(row, (i) -> i == 0 ? name : ends[i - 1].equals(NONE) ? NONE : start + ends[i - 1]);
        return row;
    }

    @Test
    void shouldStateWhatTheLibrariesInTheJarsAllow() throws Exception
    {
        if (!Files.isExecutable(MUSL_LOADER))
        {
            System.out.println("musl is not installed here: its loader was not run.");
        }
        final String page = Files.readString(PAGE);
        for (final String[] row : LIBRARIES)
        {
            final StringBuilder expected = new StringBuilder("| " + row[0] + " | ");
            for (int column = 1; column < row.length; column++)
            {
                expected.append(works(row[column].replace("*", zstdVersion()), column) ? "yes" : "no").append(" | ");
            }
            assertTrue(page.contains("\n" + expected.toString().trim()), () -> PAGE + " lacks the line " + expected);
        }
    }

    /** The names of the libraries of zstd contain the version of the jar, which the class Native knows, too. */
    private static String zstdVersion() throws ReflectiveOperationException
    {
        return (String)Class.forName("com.github.luben.zstd.util.ZstdVersion").getField("VERSION").get(null);
    }

    private boolean works(final String library, final int column) throws Exception
    {
        try (InputStream content = library.equals(NONE) ? null :
            PlatformsTest.class.getClassLoader().getResourceAsStream(library))
        {
            if (content == null || column != MUSL_X86_64 && column != MUSL_AARCH64)
            {
                return content != null;
            }
            final byte[] bytes = content.readAllBytes();
            final boolean isLoaded = new Elf(bytes).needsOnlyMusl();
            if (column == MUSL_X86_64 && Files.isExecutable(MUSL_LOADER))
            {
                assertEquals(isLoadedByMusl(bytes), isLoaded, library);
            }
            return isLoaded;
        }
    }

    /** With the option --list the loader loads a library and finds all its symbols, as it does for a JVM. */
    private boolean isLoadedByMusl(final byte[] library) throws IOException, InterruptedException
    {
        final Path file = Files.write(folder.resolve("library.so"), library);
        return new ProcessBuilder(MUSL_LOADER.toString(), "--list", file.toString())
            .redirectErrorStream(true).redirectOutput(ProcessBuilder.Redirect.DISCARD).start().waitFor() == 0;
    }

    /** A shared library in the format ELF, for 64 bits, little-endian. */
    private static final class Elf
    {
        private static final int SYMBOLS_SECTION = 11;
        private static final int DYNAMIC_SECTION = 6;
        private static final int NEEDED_LIBRARY = 1;
        private static final int GLOBAL = 1;

        private final ByteBuffer bytes;
        private final List<String> libraries = new ArrayList<>();
        private final List<String> symbols = new ArrayList<>();

        private Elf(final byte[] content)
        {
            bytes = ByteBuffer.wrap(content).order(ByteOrder.LITTLE_ENDIAN);
            for (int section = 0; section < bytes.getShort(60); section++)
            {
                final int header = header(section);
                final int start = (int)bytes.getLong(header + 24);
                final int end = start + (int)bytes.getLong(header + 32);
                final int names = (int)bytes.getLong(header(bytes.getInt(header + 40)) + 24);
                if (bytes.getInt(header + 4) == DYNAMIC_SECTION)
                {
                    for (int at = start; at < end; at += 16)
                    {
                        if (bytes.getLong(at) == NEEDED_LIBRARY)
                        {
                            libraries.add(text(names + (int)bytes.getLong(at + 8)));
                        }
                    }
                }
                else if (bytes.getInt(header + 4) == SYMBOLS_SECTION)
                {
                    for (int at = start; at < end; at += 24)
                    {
                        if (bytes.getShort(at + 6) == 0 && bytes.get(at + 4) >> 4 == GLOBAL)
                        {
                            symbols.add(text(names + bytes.getInt(at)));
                        }
                    }
                }
            }
        }

        private int header(final int section)
        {
            return (int)bytes.getLong(40) + section * bytes.getShort(58);
        }

        private String text(final int at)
        {
            int end = at;
            while (bytes.get(end) != 0)
            {
                end++;
            }
            return new String(bytes.array(), at, end - at, StandardCharsets.US_ASCII);
        }

        /** musl is all of these libraries in one; of what ours call in them, it lacks one function of glibc. */
        private boolean needsOnlyMusl()
        {
            assertTrue(libraries.size() > 0 && symbols.size() > 0, "nothing was found in the library");
            return !symbols.contains("__strdup") && libraries.stream().allMatch(
                (name) -> name.matches("lib(c|m|dl|rt|pthread|c\\.musl-x86_64)\\.so.*"));
        }
    }
}
