// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol;

import org.apache.kafka.common.message.ApiMessageType;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Compares the versions of each API in the newest kafka-clients, unstable ones included, with those of {@link ApiKey}.
 * The page of platforms names each version that {@link ApiKey} does not have, and says whether it is ignored or
 * planned.
 */
class NewestKafkaTest
{
    private static final Path PAGE = Path.of("..", "docs", "platforms.md");

    @Test
    void shouldNameEachVersionThatOdradekDoesNotHave() throws IOException
    {
        final List<String> missing = new ArrayList<>();
        for (final ApiKey apiKey : ApiKey.values())
        {
            final ApiMessageType type = ApiMessageType.fromApiKey(apiKey.key());
            final int newest = type.highestSupportedVersion(true);
            assertTrue(apiKey.maxVersion() <= newest, apiKey + " has a version that no Kafka has");
            IntStream.rangeClosed(apiKey.maxVersion() + 1, newest).forEach((version) ->
                missing.add("| " + apiKey.title() + " | " + version + " |"));
        }

        final List<String> named = Files.readAllLines(PAGE).stream()
            .filter((line) -> line.matches("\\| [A-Z][A-Za-z]+ \\| \\d+ \\| (ignored|planned): .*"))
            .map((line) -> line.replaceFirst(" (ignored|planned): .*", "")).toList();
        assertEquals(missing, named);
    }
}
