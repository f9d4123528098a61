// SPDX-License-Identifier: Apache-2.0
package org.odradek.kafka;

import org.junit.jupiter.api.Test;
import org.odradek.harness.PublicSignatures;
import org.odradek.kafka.api.FetchRequestBuilder;
import org.odradek.kafka.cluster.Broker;
import org.odradek.kafka.common.TopicAndPartition;
import org.odradek.kafka.javaapi.FetchResponse;
import org.odradek.kafka.javaapi.consumer.SimpleConsumer;
import org.odradek.kafka.javaapi.message.ByteBufferMessageSet;
import org.odradek.kafka.message.Message;

import java.util.ArrayList;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;

/**
 * Checks that the public signatures of the module refer to Kafka's names only, and to the settings of a secured
 * connection.
 */
class PublicSignaturesTest
{
    private static final List<Class<?>> MEMBERS = List.of(FetchRequestBuilder.class, Broker.class,
        TopicAndPartition.class, FetchResponse.class, SimpleConsumer.class, ByteBufferMessageSet.class, Message.class);

    @Test
    void shouldNameNoInternalTypeInAPublicSignature()
    {
        final List<Class<?>> types = new ArrayList<>();
        MEMBERS.forEach((member) -> types.addAll(PublicSignatures.publicClasses(member)));

        assertEquals(List.of(), PublicSignatures.leaks((name) ->
            name.startsWith("org.odradek.client.security.") ||
                name.matches("org\\.odradek\\.kafka\\.(?!blocking|wire).*"), types));
    }
}
