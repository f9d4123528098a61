// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;

/**
 * Checks that strings are made of bytes, which may be those of a peer or of a file that others write, only by
 * {@link org.odradek.protocol.PrintableText} or where this test lists it with a reason.
 */
class ForeignTextSourcesTest
{
    private static final Pattern STRING_OF_BYTES =
        Pattern.compile("\\.getString\\w*\\(|\\.getCounterLabel\\(|new String\\(|(?i:utf_?8\\.decode)\\(");

    /** The number of such lines in each file. */
    private static final Map<String, Integer> LISTED = new TreeMap<>(Map.ofEntries(
        // Hosts, which BrokerAddress has checked: they are printable ASCII.
        Map.entry("Brokers.java", 1),
        Map.entry("FetchResponseReader.java", 1),
        Map.entry("BrokerSender.java", 1),
        // Ids that are compared, and the member's own id, which is sent as it is; who shows it makes it printable.
        Map.entry("ClassicProtocol.java", 2),
        Map.entry("GroupLeader.java", 2),
        // Four bytes that have been found to be visible ASCII.
        Map.entry("ReceiveBuffer.java", 1),
        // Names of topics in files: compared, and printable where they are shown; or refused.
        Map.entry("OffsetFileAccess.java", 1),
        Map.entry("CapturedFrames.java", 1),
        // Messages of a SASL server: what a SaslException quotes is made printable by BrokerConnection.
        Map.entry("ScramMessage.java", 1),
        // Credentials, and labels of a PEM file, which are not shown.
        Map.entry("ScramMechanism.java", 1),
        Map.entry("OAuthBearerMechanism.java", 2),
        Map.entry("PemFile.java", 1),
        // Values that a program of SimpleConsumer asks for: topics, metadata of offsets, and hosts, which are checked.
        Map.entry("Request.java", 1)));

    @Test
    void shouldMakeStringsOfBytesOnlyWhereListed() throws IOException
    {
        final Map<String, Integer> found = new TreeMap<>();
        for (final String module : List.of(
            "client", "consumer", "publisher", "simple-consumer", "replay", "workers", "micrometer", "flink"))
        {
            try (Stream<Path> files = Files.walk(Path.of("..", module, "src", "main", "java").toRealPath()))
            {
                for (final Path file : files.filter((path) -> path.toString().endsWith(".java")).toList())
                {
                    final int count = (int)Files.readAllLines(file).stream().filter((line) ->
                        STRING_OF_BYTES.matcher(line).find() && !line.contains("PrintableText.of(")).count();
                    if (count > 0)
                    {
                        found.merge(file.getFileName().toString(), count, Integer::sum);
                    }
                }
            }
        }
        assertEquals(LISTED, found);
    }
}
