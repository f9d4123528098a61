// SPDX-License-Identifier: Apache-2.0
package org.odradek.kafka.javaapi.consumer;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.odradek.client.security.SecuritySettings;
import org.odradek.client.security.TlsProviderType;
import org.odradek.client.security.TlsSettings;
import org.odradek.kafka.javaapi.TopicMetadataRequest;
import org.odradek.testkit.internal.CertificateAuthority;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** Counts the open files of this process over calls that fail, each of which connects again. */
class DescriptorsTest
{
    private static final Path OPEN_FILES = Path.of("/proc/self/fd");
    private static final int CALLS = 200;
    /** Of other threads, such as those that compile or end other tests. */
    private static final int TOLERANCE = CALLS / 10;

    private static void assertNoFileStaysOpen(final SimpleConsumer consumer, final Class<? extends Exception> failure)
        throws IOException
    {
        assumeTrue(Files.isDirectory(OPEN_FILES), "this system does not list the open files of a process");
        call(consumer, failure);
        final long before = openFiles();
        for (int i = 0; i < CALLS; i++)
        {
            call(consumer, failure);
        }

        assertTrue(openFiles() < before + TOLERANCE, () -> openFiles() + " open files, " + before + " before");
        consumer.close();
        consumer.close();
    }

    private static void call(final SimpleConsumer consumer, final Class<? extends Exception> failure)
    {
        assertThrows(failure, () -> consumer.send(new TopicMetadataRequest(List.of("topic"))));
    }

    private static long openFiles()
    {
        try (Stream<Path> files = Files.list(OPEN_FILES))
        {
            return files.count();
        }
        catch (final IOException ex)
        {
            throw new IllegalStateException(ex);
        }
    }

    private static SimpleConsumer consumer(final Path trust)
    {
        return new SimpleConsumer("127.0.0.1", 1, 1_000, 0, "simple",
            SecuritySettings.tlsOnly(TlsSettings.trust(trust).provider(TlsProviderType.JDK)));
    }

    @Test
    void shouldCloseEverythingWhileACertificateFileIsBroken(@TempDir final Path folder) throws IOException
    {
        final Path trust = new CertificateAuthority("test CA").writePem(folder.resolve("ca.pem"));
        final SimpleConsumer consumer = consumer(trust);
        Files.writeString(trust, "-----BEGIN CERTIFICATE-----\nAAAA\n");

        assertNoFileStaysOpen(consumer, IllegalArgumentException.class);
    }

    @Test
    void shouldCloseEverythingWhenTheBrokerRefusesTheConnection(@TempDir final Path folder) throws IOException
    {
        assertNoFileStaysOpen(
            consumer(new CertificateAuthority("test CA").writePem(folder.resolve("ca.pem"))), IOException.class);
    }
}
