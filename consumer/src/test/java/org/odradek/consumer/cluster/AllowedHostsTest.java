// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.cluster;

import org.apache.kafka.common.message.ApiMessageType;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.FetchResponseData.LeaderIdAndEpoch;
import org.apache.kafka.common.message.FetchResponseData.NodeEndpoint;
import org.apache.kafka.common.message.FindCoordinatorResponseData;
import org.apache.kafka.common.message.FindCoordinatorResponseData.Coordinator;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.message.SaslAuthenticateResponseData;
import org.apache.kafka.common.message.SaslHandshakeResponseData;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.odradek.client.security.CertificateStore;
import org.odradek.client.security.PlainMechanism;
import org.odradek.client.security.SecuritySettings;
import org.odradek.client.security.TlsSettings;
import org.odradek.consumer.ConsumerContext;
import org.odradek.consumer.StartPosition;
import org.odradek.consumer.support.OneTopicBroker;
import org.odradek.consumer.support.Reading;
import org.odradek.harness.Answer;
import org.odradek.testkit.internal.CertificateAuthority;
import org.odradek.testkit.internal.Identity;

import java.util.List;
import java.util.Map;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Tests brokers that name a foreign host, which has a trusted certificate and waits for the password. The user has
 * named 127.0.0.1 and the foreign host is localhost, so that one certificate is valid for both.
 */
class AllowedHostsTest
{
    private static final int OTHER_ID = 8;
    private static final int ATTEMPTS = 10;
    private static final String USERS_HOST = "127.0.0.1";
    private static final String FOREIGN_HOST = "localhost";
    private static final short NOT_LEADER_OR_FOLLOWER = 6;
    private static final char[] PASSWORD = "canary-password".toCharArray();

    private final CertificateAuthority authority = new CertificateAuthority("test CA");
    private final Identity identity = authority.issue("broker", USERS_HOST, FOREIGN_HOST);
    private final OneTopicBroker broker = start().append(0, "a", "b");
    private final OneTopicBroker foreign = start();

    private OneTopicBroker start()
    {
        // With version 5 the model would refuse a client that takes it for another broker.
        final OneTopicBroker started = OneTopicBroker.startTls(1, identity).maxVersion(ApiMessageType.API_VERSIONS, 4)
            .maxVersion(ApiMessageType.SASL_HANDSHAKE, 1).maxVersion(ApiMessageType.SASL_AUTHENTICATE, 2);
        started.script(ApiMessageType.SASL_HANDSHAKE,
            (call) -> call.answer(new SaslHandshakeResponseData().setMechanisms(List.of("PLAIN"))));
        started.script(ApiMessageType.SASL_AUTHENTICATE, (call) -> call.answer(new SaslAuthenticateResponseData()));
        return started;
    }

    @AfterEach
    void close()
    {
        broker.close();
        foreign.close();
    }

    private ConsumerContext context(final String allowedHosts)
    {
        return Reading.context(broker).startPosition(StartPosition.offset(0)).security(
            SecuritySettings.sasl(PlainMechanism.plain("alice", PASSWORD)).tls(
                TlsSettings.trust(CertificateStore.pem(authority.pem())).allowedHosts(allowedHosts)));
    }

    /** Names another leader, and the addresses of some brokers, in each fetch response. */
    private void nameLeader(final Map<Integer, String> hosts)
    {
        broker.script(ApiMessageType.FETCH, (call) ->
        {
            final FetchResponseData response = (FetchResponseData)broker.model().usual(call);
            hosts.forEach((id, host) -> response.nodeEndpoints().add(new NodeEndpoint().setNodeId(id).setHost(host)
                .setPort((FOREIGN_HOST.equals(host) ? foreign : broker).peer().port())));
            return call.answer(response);
        });
        broker.script(0, (requested) -> OneTopicBroker.error(0, NOT_LEADER_OR_FOLLOWER).setCurrentLeader(
            new LeaderIdAndEpoch().setLeaderId(OTHER_ID).setLeaderEpoch(OneTopicBroker.LEADER_EPOCH + 1)));
    }

    private void assertLeftAlone()
    {
        assertEquals(0, foreign.requestCount(ApiMessageType.SASL_AUTHENTICATE), "the foreign host has the password");
        assertEquals(0, foreign.peer().acceptedCount(), "the foreign host was connected to");
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, -2, Integer.MIN_VALUE})
    void shouldNotTakeALeaderWithANegativeIdForABootstrapServer(final int nodeId)
    {
        nameLeader(Map.of(nodeId, FOREIGN_HOST, OTHER_ID, USERS_HOST));
        // The connection for metadata is lost again and again, so that each known address is tried in turn.
        broker.script(ApiMessageType.METADATA,
            (call) -> broker.requestCount(ApiMessageType.METADATA) == 1 ? null : Answer.close());
        try (Reading reading = Reading.start(context("127\\.0\\.0\\.1")))
        {
            reading.until("requests for metadata", () -> foreign.requestCount(ApiMessageType.SASL_AUTHENTICATE) > 0 ||
                broker.requestCount(ApiMessageType.METADATA) > ATTEMPTS && !reading.errors().isEmpty());

            assertLeftAlone();
            assertTrue(reading.hasError("found " + nodeId + ", expected 0 or more"),
                () -> reading.errors().toString());
        }
    }

    @Test
    void shouldNotConnectToALeaderThatAFetchResponseNames()
    {
        nameLeader(Map.of(OTHER_ID, FOREIGN_HOST));
        try (Reading reading = Reading.start(context("127\\.0\\.0\\.1")))
        {
            reading.until("the refusal", () -> reading.hasError("names host localhost, which allowedHosts"));

            assertLeftAlone();
        }
    }

    @Test
    void shouldNotConnectToABrokerThatMetadataNames()
    {
        broker.script(ApiMessageType.METADATA, (call) ->
        {
            final MetadataResponseData response = broker.metadata(call);
            response.brokers().find(OneTopicBroker.NODE_ID).setHost(FOREIGN_HOST).setPort(foreign.peer().port());
            return call.answer(response);
        });
        try (Reading reading = Reading.start(context("127\\.0\\.0\\.1")))
        {
            reading.until("the refusal", () -> reading.hasError("names host localhost, which allowedHosts"));

            assertLeftAlone();
        }
    }

    @Test
    void shouldNotConnectToACoordinatorThatABrokerNames()
    {
        broker.script(ApiMessageType.FIND_COORDINATOR, (call) -> call.answer(new FindCoordinatorResponseData()
            .setCoordinators(List.of(new Coordinator().setKey("group").setNodeId(OTHER_ID).setHost(FOREIGN_HOST)
            .setPort(foreign.peer().port())))));
        try (Reading reading = Reading.start(context("127\\.0\\.0\\.1")
            .startPosition(StartPosition.committed("group", StartPosition.earliest()))))
        {
            reading.until("the refusal", () -> reading.hasError("names host localhost, which allowedHosts"));

            assertLeftAlone();
        }
    }

    /** The pattern is for the hosts that the user has not named. */
    @Test
    void shouldConnectToABootstrapServerThatMetadataNamesAgain()
    {
        try (Reading reading = Reading.start(context("broker\\.example")))
        {
            reading.untilCount(0, 2);

            assertFalse(reading.hasError("allowedHosts"), () -> reading.errors().toString());
        }
    }
}
