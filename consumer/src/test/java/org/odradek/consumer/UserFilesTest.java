// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.odradek.client.CountersFileReader;
import org.odradek.client.security.SecuritySettings;
import org.odradek.client.security.TlsSettings;
import org.odradek.client.security.TokenSource;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Properties;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Files that users name are read at once or refused in one sentence. A pipe must not stop the thread.
 */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class UserFilesTest
{
    private static final String LOGIN_PROPERTY = "java.security.auth.login.config";

    @TempDir
    Path folder;

    private Path pipe;

    @BeforeEach
    void makePipe() throws Exception
    {
        pipe = folder.resolve("pipe");
        assertEquals(0, new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor());
    }

    private Path file(final long length) throws IOException
    {
        final Path path = folder.resolve("large");
        try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw"))
        {
            file.setLength(length);
        }
        return path;
    }

    @FunctionalInterface
    private interface UseOfFile
    {
        void read(Path path) throws Exception;
    }

    private static void refused(final Path path, final String what, final UseOfFile use)
    {
        final String message = assertThrows(Exception.class, () -> use.read(path)).getMessage();
        assertTrue(message.contains(path + ": it " + what), message);
        assertEquals(-1, message.indexOf('\n'), message);
    }

    private void refusedUnlessRegular(final UseOfFile use)
    {
        refused(pipe, "is a pipe, a socket or a device", use);
        refused(folder, "is a directory", use);
        refused(Path.of("/dev/zero"), "is a pipe, a socket or a device", use);
    }

    @Test
    void shouldReadCertificatesFromRegularFilesOnly() throws Exception
    {
        refusedUnlessRegular((path) -> SecuritySettings.tlsOnly(TlsSettings.trust(path)).check());
        refused(file(1L << 40), "has 1099511627776 bytes where at most 8388608 are accepted",
            (path) -> SecuritySettings.tlsOnly(TlsSettings.trust(path)).check());
    }

    @Test
    void shouldReadTokensFromRegularFilesOnly() throws Exception
    {
        refusedUnlessRegular((path) -> TokenSource.file(path).token());
        refused(file(65_537), "has 65537 bytes where at most 65536 are accepted",
            (path) -> TokenSource.file(path).token());
        final Path link = Files.createSymbolicLink(
            folder.resolve("link"), Files.writeString(folder.resolve("token"), " abc\n"));
        assertArrayEquals("abc".toCharArray(), TokenSource.file(link).token());
    }

    private static void resolve(final Path path, final String provider, final String variable)
    {
        final Properties properties = new Properties();
        properties.setProperty("bootstrap.servers", "localhost:9092");
        properties.setProperty("config.providers", "p");
        properties.setProperty("config.providers.p.class", "org.apache.kafka.common.config.provider." + provider);
        properties.setProperty("sasl.jaas.config", "${p:" + path.getParent() + variable + "}");
        ConsumerContext.from(properties);
    }

    @Test
    void shouldReadVariablesFromRegularFilesOnly() throws Exception
    {
        final UseOfFile file = (path) -> resolve(path, "FileConfigProvider", "/" + path.getFileName() + ":key");
        final UseOfFile directory = (path) -> resolve(path, "DirectoryConfigProvider", ":" + path.getFileName());
        refused(pipe, "is a pipe, a socket or a device", file);
        refused(pipe, "is a pipe, a socket or a device", directory);
        refused(folder, "is a directory", file);
        refused(folder, "is a directory", directory);
        refused(file(1 << 30), "has 1073741824 bytes where at most 1048576 are accepted", file);
        refused(file(1 << 30), "has 1073741824 bytes where at most 1048576 are accepted", directory);
    }

    private static void login(final String value)
    {
        System.setProperty(LOGIN_PROPERTY, value);
        try
        {
            ConsumerContext.from(Map.of("security.protocol", "SASL_PLAINTEXT"), (note) -> {});
        }
        finally
        {
            System.clearProperty(LOGIN_PROPERTY);
        }
    }

    @Test
    void shouldReadTheLoginConfigurationFromARegularFileOnly()
    {
        refusedUnlessRegular((path) -> login(path.toString()));
        refusedUnlessRegular((path) -> login("=" + path));
        refusedUnlessRegular((path) -> login(path.toUri().toString()));
    }

    @Test
    void shouldReadCountersFromRegularFilesOnly()
    {
        refusedUnlessRegular(CountersFileReader::open);
    }
}
