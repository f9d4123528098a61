// SPDX-License-Identifier: Apache-2.0
package org.odradek.verification.matrix;

import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class KafkaVersionTest
{
    @Test
    void shouldOrderReleases()
    {
        final List<Integer> releases = Stream.of("0.11.0.3", "1.0.2", "2.1.1", "2.8.2", "3.0.2", "3.9.2", "4.0.0",
            "4.12.0").map((text) -> KafkaVersion.of(text).release()).toList();

        assertEquals(releases.stream().sorted().toList(), releases);
    }

    @Test
    void shouldKnowTheRequirementsOfEachRelease()
    {
        assertEquals("2.12", KafkaVersion.of("2.3.1").scala());
        assertEquals("2.13", KafkaVersion.of("2.4.1").scala());
        assertTrue(KafkaVersion.of("3.2.3").hasZooKeeper());
        assertFalse(KafkaVersion.of("3.3.2").hasZooKeeper());
    }

    @Test
    void shouldWriteEachCodecInEachFormatThatIsStored()
    {
        assertEquals(12, KafkaVersion.of("2.0.1").topics().size());
        assertEquals(13, KafkaVersion.of("2.1.1").topics().size());
        assertEquals(5, KafkaVersion.of("3.9.2").topics().size());
        for (final SmokeTopic topic : KafkaVersion.of("2.1.1").topics())
        {
            assertEquals(topic, SmokeTopic.of(topic.name()));
        }
    }

    @Test
    void shouldRefuseTextThatIsNotAVersion()
    {
        assertThrows(IllegalArgumentException.class, () -> KafkaVersion.of("3.9"));
        assertThrows(IllegalArgumentException.class, () -> KafkaVersion.of("latest"));
        assertThrows(IllegalArgumentException.class, () -> KafkaVersion.of("0.10.2.2"));
    }
}
