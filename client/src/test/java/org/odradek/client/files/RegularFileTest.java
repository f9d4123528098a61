// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.files;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.charset.CharacterCodingException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RegularFileTest
{
    @TempDir
    Path folder;

    private static void refused(final Path path, final String what)
    {
        assertEquals(path + ": it is " + what + " where a regular file was expected",
            assertThrows(FileSystemException.class, () -> RegularFile.check(path)).getMessage());
        assertThrows(FileSystemException.class, () -> RegularFile.open(path));
        assertThrows(FileSystemException.class, () -> RegularFile.read(path, 100));
        assertThrows(FileSystemException.class, () -> RegularFile.readText(path, 100));
    }

    @Test
    void shouldRefuseWhatIsNoRegularFileWithoutWaiting() throws Exception
    {
        final Path pipe = folder.resolve("pipe");
        assertEquals(0, new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor());

        refused(pipe, "a pipe, a socket or a device");
        refused(Files.createSymbolicLink(folder.resolve("link"), pipe), "a pipe, a socket or a device");
        refused(Path.of("/dev/zero"), "a pipe, a socket or a device");
        refused(folder, "a directory");
        assertThrows(NoSuchFileException.class, () -> RegularFile.open(folder.resolve("missing")));
    }

    /** A mounted secret is a link to a link. */
    @Test
    void shouldFollowLinksToARegularFile() throws IOException
    {
        final Path data = Files.createDirectory(folder.resolve("..data"));
        Files.writeString(data.resolve("token"), "secret");
        final Path path =
            Files.createSymbolicLink(folder.resolve("token"), Files.createSymbolicLink(folder.resolve("x"), data)
                .resolve("token"));

        RegularFile.check(path);
        try (FileChannel channel = RegularFile.open(path))
        {
            assertEquals(6, channel.size());
        }
        assertEquals("secret", RegularFile.readText(path, 6));
    }

    @Test
    void shouldReadUpToALengthAlsoOnAnInterruptedThread() throws IOException
    {
        final byte[] content = new byte[20_000];
        content[19_999] = 7;
        final Path path = Files.write(folder.resolve("file"), content);

        Thread.currentThread().interrupt();
        assertArrayEquals(content, RegularFile.read(path, 20_000));
        assertTrue(Thread.interrupted());
        assertEquals(path + ": it has 20000 bytes where at most 19999 are accepted",
            assertThrows(FileSystemException.class, () -> RegularFile.read(path, 19_999)).getMessage());
        assertEquals("", RegularFile.readText(Files.createFile(folder.resolve("empty")), 0));
    }

    /** Such a file shows a size of 0 and has content. */
    @Test
    void shouldRefuseAFileThatIsLongerThanItsSize()
    {
        final Path path = Path.of("/proc/self/status");
        if (Files.exists(path))
        {
            assertEquals(path + ": it changed while it was read",
                assertThrows(FileSystemException.class, () -> RegularFile.read(path, 100)).getMessage());
        }
    }

    @Test
    void shouldRefuseTextThatIsNotUtf8() throws IOException
    {
        final Path path = Files.write(folder.resolve("file"), new byte[] {'a', (byte)0xE4});

        assertThrows(CharacterCodingException.class, () -> RegularFile.readText(path, 100));
    }
}
