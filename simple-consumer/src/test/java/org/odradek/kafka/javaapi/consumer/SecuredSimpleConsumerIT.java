// SPDX-License-Identifier: Apache-2.0
package org.odradek.kafka.javaapi.consumer;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.odradek.client.AuthenticationException;
import org.odradek.client.security.PlainMechanism;
import org.odradek.client.security.ScramMechanism;
import org.odradek.client.security.SecuritySettings;
import org.odradek.client.security.TlsSettings;
import org.odradek.kafka.api.FetchRequestBuilder;
import org.odradek.kafka.common.OffsetAndMetadata;
import org.odradek.kafka.common.TopicAndPartition;
import org.odradek.kafka.javaapi.OffsetCommitRequest;
import org.odradek.kafka.javaapi.TopicMetadataRequest;
import org.odradek.kafka.message.MessageAndOffset;
import org.odradek.testkit.BrokerSecurity;
import org.odradek.testkit.BrokerSettings;
import org.odradek.testkit.EmbeddedBroker;
import org.odradek.testkit.SecureListener;

import java.util.List;
import java.util.Map;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Reads and commits over TLS and SASL, also over the connection to the coordinator. */
class SecuredSimpleConsumerIT
{
    private static final String TOPIC = "secured";
    private static final int TIMEOUT_MS = 30_000;
    private static final long SECOND_NS = 1_000_000_000L;

    private static EmbeddedBroker broker;

    @BeforeAll
    static void start()
    {
        broker = EmbeddedBroker.start(new BrokerSettings().secured());
        broker.client().createTopic(TOPIC, 1, Map.of());
        broker.client().produce(TOPIC, 0, 3, (i) -> new byte[10]);
    }

    @AfterAll
    static void stop()
    {
        broker.close();
    }

    private static SimpleConsumer connect(final SecureListener listener, final SecuritySettings security)
    {
        return new SimpleConsumer("localhost", broker.port(listener), TIMEOUT_MS, 0, "secured", security);
    }

    @Test
    void shouldReadAndCommitOverTlsAndSasl()
    {
        final SimpleConsumer consumer = connect(SecureListener.SASL_SSL, SecuritySettings.sasl(
            ScramMechanism.scramSha512(BrokerSecurity.USER, BrokerSecurity.PASSWORD.toCharArray()))
            .tls(TlsSettings.trust(broker.security().trustPem())));
        try
        {
            int count = 0;
            for (final MessageAndOffset message : consumer.fetch(new FetchRequestBuilder().clientId("secured")
                .addFetch(TOPIC, 0, 0, 10_000).build()).messageSet(TOPIC, 0))
            {
                assertEquals(count++, message.offset());
            }
            assertEquals(3, count);
            final TopicAndPartition partition = new TopicAndPartition(TOPIC, 0);
            assertFalse(consumer.commitOffsets(new OffsetCommitRequest("group",
                Map.of(partition, new OffsetAndMetadata(2, "", -1)), 1, "secured")).hasError());
        }
        finally
        {
            consumer.close();
        }
    }

    /** The first request connects twice: BoringSSL refuses the key of the broker. */
    @Test
    void shouldConnectByTheJdkToABrokerWhoseKeyBoringSslRefuses()
    {
        final SimpleConsumer consumer = connect(
            SecureListener.ED25519, SecuritySettings.tlsOnly(TlsSettings.trust(broker.security().trustPem())));
        try
        {
            assertEquals(1, consumer.send(new TopicMetadataRequest(List.of(TOPIC))).topicsMetadata().size());
        }
        finally
        {
            consumer.close();
        }
    }

    @Test
    void shouldThrowWhatTheBrokerSaysAndWaitBeforeTheNextAttempt()
    {
        final SimpleConsumer consumer = connect(SecureListener.SASL_PLAINTEXT, SecuritySettings.sasl(
            PlainMechanism.plain(BrokerSecurity.USER, "canary".toCharArray())).withoutTls());
        try
        {
            final long startNs = System.nanoTime();
            for (int i = 0; i < 2; i++)
            {
                final AuthenticationException refusal = assertThrows(AuthenticationException.class,
                    () -> consumer.send(new TopicMetadataRequest(List.of(TOPIC))));
                assertTrue(refusal.getMessage().contains("Invalid username or password"), refusal::getMessage);
                assertFalse(refusal.getMessage().contains("canary"), refusal::getMessage);
            }
            assertTrue(System.nanoTime() - startNs >= SECOND_NS);
        }
        finally
        {
            consumer.close();
        }
    }
}
