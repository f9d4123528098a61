// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.files;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class WrittenFileTest
{
    @TempDir
    Path folder;

    private static String permissions(final Path path) throws IOException
    {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
    }

    @Test
    void shouldCreateFilesWithTheirPermissions() throws IOException
    {
        for (final String wanted :
            List.of(WrittenFile.OWNER_ONLY, WrittenFile.GROUP_MAY_READ, WrittenFile.ALL_MAY_READ))
        {
            // The umask of this process may be stricter.
            final String possible = permissions(Files.createFile(folder.resolve("any" + wanted),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(wanted))));
            WrittenFile.create(folder.resolve("created" + wanted), wanted).close();
            WrittenFile.open(folder.resolve("opened" + wanted), wanted).close();

            assertEquals(possible, permissions(folder.resolve("created" + wanted)));
            assertEquals(possible, permissions(folder.resolve("opened" + wanted)));
        }
        assertEquals("rw-------", permissions(folder.resolve("createdrw-------")));
    }

    @Test
    void shouldLeaveAnExistingFileAsItIs() throws IOException
    {
        final Path path = Files.writeString(folder.resolve("file"), "content");
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rw-rw-r--"));

        try (FileChannel channel = WrittenFile.open(path, WrittenFile.OWNER_ONLY))
        {
            assertEquals(7, channel.size());
        }
        assertEquals("rw-rw-r--", permissions(path));
        assertThrows(FileAlreadyExistsException.class, () -> WrittenFile.create(path, WrittenFile.OWNER_ONLY));
    }

    private static void refused(final Path path, final String what)
    {
        final String message = path + ": it is " + what + " where a regular file was expected";
        assertEquals(message, assertThrows(FileSystemException.class, () -> WrittenFile.check(path)).getMessage());
        assertEquals(message, assertThrows(
            FileSystemException.class, () -> WrittenFile.open(path, WrittenFile.OWNER_ONLY)).getMessage());
    }

    @Test
    void shouldRefuseLinksAndWhatIsNoRegularFile() throws Exception
    {
        final Path file = Files.writeString(folder.resolve("file"), "content");
        final Path pipe = folder.resolve("pipe");
        assertEquals(0, new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor());
        final String link = "a link, which is not followed when a file is written,";

        refused(Files.createSymbolicLink(folder.resolve("link"), file), link);
        refused(Files.createSymbolicLink(folder.resolve("dangling"), folder.resolve("nothing")), link);
        refused(pipe, "a pipe, a socket or a device");
        refused(Path.of("/dev/null"), "a pipe, a socket or a device");
        refused(folder, "a directory");
        assertEquals("content", Files.readString(file));
        assertTrue(Files.notExists(folder.resolve("nothing")));
        WrittenFile.check(file);
        WrittenFile.check(folder.resolve("nothing"));
    }

    @Test
    void shouldAcceptPermissionsWithWhichNoOtherUserWrites()
    {
        WrittenFile.checkPermissions("a", WrittenFile.GROUP_MAY_READ);
        assertEquals("a is 'rw-rw----': it must be rw-------, rw-r----- or rw-r--r--",
            assertThrows(IllegalArgumentException.class, () -> WrittenFile.checkPermissions("a", "rw-rw----"))
                .getMessage());
        assertThrows(IllegalArgumentException.class, () -> WrittenFile.checkPermissions("a", null));
    }
}
