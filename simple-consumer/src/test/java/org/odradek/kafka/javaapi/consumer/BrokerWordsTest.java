// SPDX-License-Identifier: Apache-2.0
package org.odradek.kafka.javaapi.consumer;

import org.apache.kafka.common.message.ApiMessageType;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponseBroker;
import org.apache.kafka.common.message.SaslAuthenticateResponseData;
import org.apache.kafka.common.message.SaslHandshakeResponseData;
import org.apache.kafka.common.protocol.ApiMessage;
import org.junit.jupiter.api.Test;
import org.odradek.client.AuthenticationException;
import org.odradek.client.security.PlainMechanism;
import org.odradek.client.security.SecuritySettings;
import org.odradek.harness.Answer;
import org.odradek.harness.RequestFrame;
import org.odradek.harness.ScriptedPeer;
import org.odradek.kafka.common.KafkaException;
import org.odradek.kafka.javaapi.TopicMetadataRequest;
import org.odradek.protocol.PrintableText;

import java.util.List;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Tests that no word of a broker reaches an exception as it was sent.
 */
class BrokerWordsTest
{
    private static final String HOSTILE = "evil\u001b[2J\nforged\u0085\u009b31m\u202e\u2028\u200b";
    private static final TopicMetadataRequest REQUEST = new TopicMetadataRequest(List.of("topic"));

    private static Answer onRequest(final RequestFrame frame)
    {
        final ApiMessage response = switch (frame.type())
        {
            case API_VERSIONS -> RequestFrame.versions(
                ApiMessageType.METADATA, ApiMessageType.API_VERSIONS, ApiMessageType.SASL_HANDSHAKE,
                ApiMessageType.SASL_AUTHENTICATE);
            case SASL_HANDSHAKE -> new SaslHandshakeResponseData().setMechanisms(List.of("PLAIN"));
            case SASL_AUTHENTICATE ->
                new SaslAuthenticateResponseData().setErrorCode((short)58).setErrorMessage(HOSTILE);
            default -> metadata();
        };
        return frame.answer(response);
    }

    private static MetadataResponseData metadata()
    {
        final MetadataResponseData response = new MetadataResponseData();
        response.brokers().add(new MetadataResponseBroker().setNodeId(7).setHost(HOSTILE).setPort(9092));
        return response;
    }

    @Test
    void shouldRefuseMetadataWithAHostThatIsNotPrintable()
    {
        try (ScriptedPeer peer = ScriptedPeer.start(BrokerWordsTest::onRequest))
        {
            final SimpleConsumer consumer = new SimpleConsumer("127.0.0.1", peer.port(), 10_000, 0, "simple");

            final KafkaException ex = assertThrows(KafkaException.class, () -> consumer.send(REQUEST));
            assertTrue(ex.getMessage().contains("of broker 7 where a port from 1 to 65535"), ex::getMessage);
            assertTrue(PrintableText.isPrintable(ex.getMessage()), ex::getMessage);
            consumer.close();
        }
    }

    @Test
    void shouldCleanTheWordsOfARefusal()
    {
        try (ScriptedPeer peer = ScriptedPeer.start(BrokerWordsTest::onRequest))
        {
            final SimpleConsumer consumer = new SimpleConsumer("127.0.0.1", peer.port(), 10_000, 0, "simple",
                SecuritySettings.sasl(PlainMechanism.plain("alice", "canary".toCharArray())).withoutTls());

            final AuthenticationException ex =
                assertThrows(AuthenticationException.class, () -> consumer.send(REQUEST));
            assertTrue(ex.getMessage().contains("evil?[2J?forged??31m???"), ex::getMessage);
            consumer.close();
        }
    }
}
