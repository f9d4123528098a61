// SPDX-License-Identifier: Apache-2.0
package org.odradek.kafka.javaapi.consumer;

import org.agrona.concurrent.NanoClock;
import org.apache.kafka.common.message.ApiMessageType;
import org.apache.kafka.common.message.FindCoordinatorResponseData;
import org.apache.kafka.common.message.FindCoordinatorResponseData.Coordinator;
import org.apache.kafka.common.message.OffsetFetchResponseData;
import org.apache.kafka.common.message.OffsetFetchResponseData.OffsetFetchResponseGroup;
import org.apache.kafka.common.message.SaslAuthenticateResponseData;
import org.apache.kafka.common.message.SaslHandshakeResponseData;
import org.apache.kafka.common.protocol.ApiMessage;
import org.junit.jupiter.api.Test;
import org.odradek.client.AuthenticationException;
import org.odradek.client.security.CertificateStore;
import org.odradek.client.security.PlainMechanism;
import org.odradek.client.security.SecuritySettings;
import org.odradek.client.security.TlsSettings;
import org.odradek.harness.Answer;
import org.odradek.harness.RequestFrame;
import org.odradek.harness.ScriptedPeer;
import org.odradek.kafka.common.KafkaException;
import org.odradek.kafka.common.TopicAndPartition;
import org.odradek.kafka.javaapi.OffsetFetchRequest;
import org.odradek.kafka.wire.BlockingBroker;
import org.odradek.testkit.internal.CertificateAuthority;
import org.odradek.testkit.internal.Identity;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Tests brokers that name an impossible or a foreign address as the coordinator. The user has named 127.0.0.1 and the
 * foreign host is localhost, so that one certificate is valid for both.
 */
class CoordinatorAddressTest
{
    private static final String FOREIGN_HOST = "localhost";
    private static final long TIMEOUT_NS = TimeUnit.SECONDS.toNanos(1);
    private static final OffsetFetchRequest REQUEST = new OffsetFetchRequest(
        "group", List.of(new TopicAndPartition("topic", 0)), (short)1, 1, "simple");

    private final AtomicInteger requests = new AtomicInteger();
    private String host = "127.0.0.1";
    private int port = 70_000;
    private int nodeId = 7;

    private Answer onRequest(final RequestFrame frame)
    {
        final ApiMessage response = switch (frame.type())
        {
            case API_VERSIONS -> RequestFrame.versions(
                ApiMessageType.METADATA, ApiMessageType.FIND_COORDINATOR, ApiMessageType.API_VERSIONS,
                ApiMessageType.SASL_HANDSHAKE, ApiMessageType.SASL_AUTHENTICATE, ApiMessageType.OFFSET_FETCH);
            case SASL_HANDSHAKE -> new SaslHandshakeResponseData().setMechanisms(List.of("PLAIN"));
            case SASL_AUTHENTICATE -> new SaslAuthenticateResponseData();
            case OFFSET_FETCH -> new OffsetFetchResponseData().setGroups(List.of(
                new OffsetFetchResponseGroup().setGroupId("group")));
            default -> coordinator();
        };
        return frame.answer(response);
    }

    private FindCoordinatorResponseData coordinator()
    {
        requests.incrementAndGet();
        return new FindCoordinatorResponseData().setCoordinators(List.of(
            new Coordinator().setKey("group").setNodeId(nodeId).setHost(host).setPort(port)));
    }

    @Test
    void shouldNotKeepAnImpossibleAddress()
    {
        try (ScriptedPeer peer = ScriptedPeer.start(this::onRequest))
        {
            final SimpleConsumer consumer = connect(peer, 10_000);

            for (int call = 1; call <= 2; call++)
            {
                final KafkaException ex =
                    assertThrows(KafkaException.class, () -> consumer.fetchOffsets(REQUEST));
                assertTrue(ex.getMessage().startsWith("The FIND_COORDINATOR response of broker "), ex.getMessage());
                assertTrue(ex.getMessage().contains("port 70000"), ex.getMessage());
                assertEquals(call, requests.get());
            }
            consumer.close();
        }
    }

    @Test
    void shouldRefuseANegativeId()
    {
        nodeId = -1;
        try (ScriptedPeer peer = ScriptedPeer.start(this::onRequest))
        {
            port = peer.port();
            final SimpleConsumer consumer = connect(peer, 10_000);

            final KafkaException ex = assertThrows(KafkaException.class, () -> consumer.fetchOffsets(REQUEST));
            assertTrue(ex.getMessage().contains("broker id -1 where 0 or more was expected"), ex.getMessage());
            consumer.close();
        }
    }

    @Test
    void shouldLookForAnotherCoordinatorWhenOneHasGone()
    {
        try (ScriptedPeer peer = ScriptedPeer.start(this::onRequest))
        {
            final SimpleConsumer consumer = connect(peer, 10_000);
            try (ScriptedPeer gone = ScriptedPeer.start(this::onRequest))
            {
                port = gone.port();
                consumer.fetchOffsets(REQUEST);
            }
            try (ScriptedPeer next = ScriptedPeer.start(this::onRequest))
            {
                port = next.port();
                consumer.fetchOffsets(REQUEST);

                assertEquals(2, requests.get());
                assertEquals(1, next.requestCount(ApiMessageType.OFFSET_FETCH.apiKey()));
            }
            consumer.close();
        }
    }

    /** The timeout passes while the coordinator is looked for a third time. */
    @Test
    void shouldFailWithTheCoordinatorThatItCannotReach() throws IOException
    {
        final AtomicLong nowNs = new AtomicLong();
        try (ScriptedPeer peer = ScriptedPeer.start(this::onRequest);
            ScriptedPeer gone = ScriptedPeer.start(this::onRequest))
        {
            port = gone.port();
            final BlockingBroker broker = connect(peer, nowNs::get);
            broker.fetchOffsets(REQUEST);
            gone.script((frame) ->
            {
                nowNs.addAndGet(requests.get() > 2 ? TIMEOUT_NS : 0);
                return Answer.reset();
            });
            gone.cut();
            final IOException ex = assertThrows(IOException.class, () -> broker.fetchOffsets(REQUEST));

            assertTrue(ex.getMessage().contains("127.0.0.1:" + port), ex.getMessage());
            assertEquals(3, requests.get());
            broker.close();
        }
    }

    /** Each request has the whole timeout: only a pause between two of them is longer. */
    @Test
    void shouldNotCountTheTimeBetweenRequests() throws IOException
    {
        final AtomicLong nowNs = new AtomicLong();
        try (ScriptedPeer peer = ScriptedPeer.start(this::onRequest))
        {
            port = peer.port();
            final BlockingBroker broker = connect(peer, nowNs::get);
            broker.fetchOffsets(REQUEST);
            nowNs.addAndGet(2 * TIMEOUT_NS);
            broker.fetchOffsets(REQUEST);

            assertEquals(2, peer.acceptedCount());
            assertEquals(2, peer.requestCount(ApiMessageType.OFFSET_FETCH.apiKey()));
            broker.close();
        }
    }

    @Test
    void shouldWaitWithoutALimitForATimeoutOfZero()
    {
        try (ScriptedPeer peer = ScriptedPeer.start(this::onRequest))
        {
            port = peer.port();
            final SimpleConsumer consumer = connect(peer, 0);
            consumer.fetchOffsets(REQUEST);
            consumer.close();
        }
        assertEquals("soTimeout is -1: it must be 0, for none, or more", assertThrows(IllegalArgumentException.class,
            () -> new SimpleConsumer("127.0.0.1", 1, -1, 0, "simple")).getMessage());
    }

    private static BlockingBroker connect(final ScriptedPeer peer, final NanoClock clock)
    {
        return new BlockingBroker("127.0.0.1", peer.port(), (int)TimeUnit.NANOSECONDS.toMillis(TIMEOUT_NS), 0, "simple",
            SecuritySettings.plaintext(), clock);
    }

    private static SimpleConsumer connect(final ScriptedPeer peer, final int soTimeout)
    {
        return new SimpleConsumer("127.0.0.1", peer.port(), soTimeout, 0, "simple");
    }

    private static SimpleConsumer connect(
        final ScriptedPeer peer, final CertificateAuthority authority, final String allowedHosts)
    {
        return new SimpleConsumer("127.0.0.1", peer.port(), 10_000, 0, "simple", SecuritySettings.sasl(
            PlainMechanism.plain("alice", "canary-password".toCharArray())).tls(
            TlsSettings.trust(CertificateStore.pem(authority.pem())).allowedHosts(allowedHosts)));
    }

    @Test
    void shouldNotConnectToACoordinatorThatIsNotAllowed()
    {
        final CertificateAuthority authority = new CertificateAuthority("test CA");
        final Identity identity = authority.issue("broker", "127.0.0.1", FOREIGN_HOST);
        try (ScriptedPeer peer = ScriptedPeer.startTls(identity, this::onRequest);
            ScriptedPeer foreign = ScriptedPeer.startTls(identity, this::onRequest))
        {
            host = FOREIGN_HOST;
            port = foreign.port();
            final SimpleConsumer consumer = connect(peer, authority, "127\\.0\\.0\\.1");
            try
            {
                consumer.fetchOffsets(REQUEST);
            }
            catch (final AuthenticationException ex)
            {
                assertTrue(ex.getMessage().contains("at broker 7 at localhost:" + port +
                    ": a broker names host localhost, which allowedHosts does not match"), ex.getMessage());
            }
            assertEquals(0, foreign.requestCount(ApiMessageType.SASL_AUTHENTICATE.apiKey()),
                "the foreign host has the password");
            assertEquals(0, foreign.acceptedCount(), "the foreign host was connected to");
            consumer.close();
        }
    }

    @Test
    void shouldConnectToACoordinatorAtTheAddressThatTheUserHasNamed()
    {
        final CertificateAuthority authority = new CertificateAuthority("test CA");
        try (ScriptedPeer peer = ScriptedPeer.startTls(authority.issue("broker", "127.0.0.1"), this::onRequest))
        {
            port = peer.port();
            final SimpleConsumer consumer = connect(peer, authority, "broker\\.example");
            consumer.fetchOffsets(REQUEST);

            assertEquals(2, peer.acceptedCount());
            consumer.close();
        }
    }
}
