// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer;

import org.junit.jupiter.api.Test;
import org.odradek.client.context.ClientContext;
import org.odradek.client.core.ClientSettings;
import org.odradek.client.security.SecuritySettings;
import org.odradek.consumer.handler.RecordHandler;
import org.odradek.harness.PublicSignatures;
import org.odradek.protocol.record.CompressionType;
import org.odradek.protocol.record.Record;
import org.odradek.protocol.record.RecordHeadersFlyweight;
import org.odradek.protocol.record.StoredBatch;

import java.util.ArrayList;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;

/**
 * Checks that the API refers only to its own packages and the views of records, and to no other type of ours.
 */
class PublicSignaturesTest
{
    private static final List<Class<?>> VIEWS =
        List.of(Record.class, StoredBatch.class, RecordHeadersFlyweight.class, CompressionType.class);

    private static boolean isApi(final String name)
    {
        return name.matches("org\\.odradek\\.(client\\.((context|security)\\.)?|consumer\\.(handler\\.)?)[A-Z].*") ||
            name.startsWith("org.agrona.") || name.startsWith("org.HdrHistogram.") ||
            VIEWS.stream().map(Class::getName).anyMatch(name::equals);
    }

    @Test
    void shouldNameNoInternalTypeInAPublicSignature()
    {
        final List<Class<?>> types = new ArrayList<>(VIEWS);
        types.addAll(PublicSignatures.publicClasses(TopicConsumer.class));
        types.addAll(PublicSignatures.publicClasses(RecordHandler.class));
        types.addAll(PublicSignatures.publicClasses(SecuritySettings.class));

        assertEquals(List.of(), PublicSignatures.leaks(PublicSignaturesTest::isApi, types));
    }

    /** Only our own contexts can call its constructor. */
    @Test
    void shouldNameOneInternalTypeInTheBaseOfTheContexts()
    {
        assertEquals(List.of(ClientSettings.class.getName() + " in [ClientContext.new]"), PublicSignatures.leaks(
            PublicSignaturesTest::isApi, PublicSignatures.publicClasses(ClientContext.class)));
    }

    @Test
    void shouldNoticeAnInternalType()
    {
        assertEquals(List.of("org.odradek.protocol.record.Record in [RecordHandler.onRecord]"),
            PublicSignatures.leaks((name) -> false, List.of(RecordHandler.class)));
    }
}
