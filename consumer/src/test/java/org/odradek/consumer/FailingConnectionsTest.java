// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.odradek.client.security.TlsProviderType;
import org.odradek.consumer.support.FailingConnections;
import org.odradek.testkit.internal.JavaProcess;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Checks that a consumer that fails to connect, and to read its certificates, hundreds of times loses nothing. */
@Tag("slow")
class FailingConnectionsTest
{
    private static final int FILES_TOLERANCE = 8;
    private static final long DIRECT_TOLERANCE = 1 << 20;
    /** A native context or engine that is not freed has 10 KB or more, so those of a round have 3 MB. */
    private static final long RESIDENT_TOLERANCE = FailingConnections.FAILURES * 8L << 10;

    @ParameterizedTest
    @EnumSource(value = TlsProviderType.class, names = {"JDK", "BORINGSSL"})
    void shouldLoseNoDescriptorAndNoMemory(final TlsProviderType provider, @TempDir final Path folder)
    {
        final List<String> output = Collections.synchronizedList(new ArrayList<>());
        try (JavaProcess process = JavaProcess.of(FailingConnections.class)
            .flags("-Xms96m", "-Xmx96m", "-XX:+AlwaysPreTouch", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1",
                // The JDK encrypts each key in memory, which would take most of the time.
                "-Dkeystore.pkcs12.keyPbeIterationCount=1")
            .args(provider.name(), folder.toString()).onStdout(output::add).start())
        {
            assertEquals(0, process.exitCode(120, TimeUnit.SECONDS), process::outputTail);
        }
        final long[] before = numbers(output.get(0));
        final long[] after = numbers(output.get(output.size() - 1));

        assertTrue(after[0] <= before[0] + FILES_TOLERANCE, output::toString);
        assertTrue(after[1] <= before[1] + DIRECT_TOLERANCE, output::toString);
        // The JVM itself takes more now and then, but not in every round.
        assertTrue(IntStream.range(1, output.size()).anyMatch((round) ->
            numbers(output.get(round))[2] <= numbers(output.get(round - 1))[2] + RESIDENT_TOLERANCE), output::toString);
    }

    private static long[] numbers(final String line)
    {
        return Arrays.stream(line.split(" ")).mapToLong(Long::parseLong).toArray();
    }
}
