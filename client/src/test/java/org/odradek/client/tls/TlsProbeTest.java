// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.tls;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.odradek.testkit.internal.JavaProcess;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Checks what needs a JVM of its own, with properties that the JDK reads once. */
class TlsProbeTest
{
    @TempDir
    private Path folder;

    @Test
    void shouldUnpackToAFolderThatNobodyElseCanUse() throws IOException
    {
        final Path created = BoringSsl.createFolder();
        try
        {
            assertEquals("rwx------", PosixFilePermissions.toString(Files.getPosixFilePermissions(created)));
        }
        finally
        {
            Files.delete(created);
        }
    }

    /** The temporary folder may be read and written by everyone, and holds a library that must not be loaded. */
    @Test
    void shouldFollowRevocationListsAndLoadTheLibraryFromAPrivateFolder() throws IOException
    {
        final Path shared = Files.createDirectory(folder.resolve("shared"));
        Files.setPosixFilePermissions(shared, PosixFilePermissions.fromString("rwxrwxrwx"));
        final Path foreign = Files.writeString(shared.resolve("libnetty_tcnative_linux_x86_64.so"), "not a library");
        final List<String> output = Collections.synchronizedList(new ArrayList<>());
        try (JavaProcess process = JavaProcess.of(TlsProbe.class).startingQuickly().flags("-Djava.io.tmpdir=" + shared,
            "-Dcom.sun.net.ssl.checkRevocation=true", "-Dcom.sun.security.enableCRLDP=true")
            .args(folder.toString()).onStdout(output::add).start())
        {
            assertEquals(0, process.exitCode(60, TimeUnit.SECONDS), process::outputTail);
        }

        assertEquals("BORINGSSL: connected", output.get(0));
        assertRevoked("BORINGSSL", output.get(1));
        assertEquals("JDK: connected", output.get(2));
        assertRevoked("JDK", output.get(3));
        final Set<String> loaded = Set.copyOf(output.subList(4, output.size() - 1));
        assertEquals(1, loaded.size(), loaded::toString);
        assertTrue(loaded.iterator().next().matches(
            "loaded from " + shared + "/odradek-tls-\\d+/libnetty_tcnative.*\\(deleted\\)"), loaded::toString);
        assertEquals("left: " + foreign, output.get(output.size() - 1));
    }

    private static void assertRevoked(final String provider, final String line)
    {
        assertTrue(line.startsWith(
            provider + ": the certificate of CN=revoked is refused: Certificate has been revoked"), line);
    }
}
