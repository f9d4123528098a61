// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer;

import org.junit.jupiter.api.Test;
import org.odradek.consumer.handler.RecordHandler;
import org.odradek.consumer.status.ConsumerCounters;
import org.odradek.testkit.PublicSignatures;

import java.util.List;
import java.util.Set;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Users of the consumer meet the packages of its API and the views of records, and no other type of ours.
 */
class PublicSignaturesTest
{
    private static final Set<String> VIEWS = Set.of("Record", "StoredBatch", "RecordHeadersFlyweight");

    private static boolean isApi(final String name)
    {
        final int dot = name.lastIndexOf('.');
        return switch (name.substring(0, dot))
        {
            case "org.odradek.consumer", "org.odradek.consumer.handler", "org.odradek.consumer.status" -> true;
            case "org.odradek.protocol.record" -> VIEWS.contains(name.substring(dot + 1));
            default -> name.startsWith("org.agrona.") || name.startsWith("org.HdrHistogram.");
        };
    }

    @Test
    void shouldNameNoInternalTypeInAPublicSignature()
    {
        assertEquals(List.of(), PublicSignatures.leaks(
            PublicSignaturesTest::isApi, TopicConsumer.class, RecordHandler.class, ConsumerCounters.class));
    }

    @Test
    void shouldNoticeAnInternalType()
    {
        assertTrue(PublicSignatures.leaks((name) -> !name.endsWith(".Record"), RecordHandler.class).toString()
            .contains("org.odradek.protocol.record.Record in ["));
    }
}
