// SPDX-License-Identifier: Apache-2.0
package org.odradek.kafka.javaapi.consumer;

import org.apache.kafka.common.message.ApiMessageType;
import org.apache.kafka.common.message.ApiVersionsResponseData;
import org.apache.kafka.common.message.ApiVersionsResponseData.ApiVersion;
import org.apache.kafka.common.message.FindCoordinatorResponseData;
import org.apache.kafka.common.message.FindCoordinatorResponseData.Coordinator;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.ObjectSerializationCache;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.odradek.kafka.common.KafkaException;
import org.odradek.kafka.common.TopicAndPartition;
import org.odradek.kafka.javaapi.OffsetFetchRequest;
import org.odradek.testkit.Answer;
import org.odradek.testkit.RequestFrame;
import org.odradek.testkit.ScriptedPeer;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Tests a broker that names an impossible address as the coordinator.
 */
@Timeout(60)
class CoordinatorAddressTest
{
    private final AtomicInteger requests = new AtomicInteger();

    private Answer onRequest(final RequestFrame frame)
    {
        final ApiMessageType type = ApiMessageType.fromApiKey(frame.apiKey());
        final ApiMessage response = type == ApiMessageType.API_VERSIONS ? versions() : coordinator();
        final ObjectSerializationCache cache = new ObjectSerializationCache();
        final int tags = type.responseHeaderVersion(frame.apiVersion());
        final ByteBuffer body = ByteBuffer.allocate(tags + response.size(cache, frame.apiVersion()));
        response.write(new ByteBufferAccessor(body.position(tags)), cache, frame.apiVersion());
        return Answer.reply(body.array());
    }

    private static ApiVersionsResponseData versions()
    {
        final ApiVersionsResponseData response = new ApiVersionsResponseData();
        for (final ApiMessageType type : List.of(
            ApiMessageType.METADATA, ApiMessageType.FIND_COORDINATOR, ApiMessageType.API_VERSIONS))
        {
            response.apiKeys().add(new ApiVersion().setApiKey(type.apiKey()).setMinVersion((short)0)
                .setMaxVersion(type.highestSupportedVersion(true)));
        }
        return response;
    }

    private FindCoordinatorResponseData coordinator()
    {
        requests.incrementAndGet();
        return new FindCoordinatorResponseData().setCoordinators(List.of(
            new Coordinator().setKey("group").setNodeId(7).setHost("127.0.0.1").setPort(70_000)));
    }

    @Test
    void shouldNotKeepAnImpossibleAddress()
    {
        try (ScriptedPeer peer = ScriptedPeer.start(this::onRequest))
        {
            final SimpleConsumer consumer = new SimpleConsumer("127.0.0.1", peer.port(), 10_000, 0, "simple");
            final OffsetFetchRequest request = new OffsetFetchRequest(
                "group", List.of(new TopicAndPartition("topic", 0)), (short)1, 1, "simple");

            for (int call = 1; call <= 2; call++)
            {
                final KafkaException ex =
                    assertThrows(KafkaException.class, () -> consumer.fetchOffsets(request));
                assertTrue(ex.getMessage().startsWith("The FIND_COORDINATOR response of broker "), ex.getMessage());
                assertTrue(ex.getMessage().contains("port 70000"), ex.getMessage());
                assertEquals(call, requests.get());
            }
            consumer.close();
        }
    }
}
