// SPDX-License-Identifier: Apache-2.0
package org.odradek.publisher;

import org.apache.kafka.common.message.ProduceResponseData.LeaderIdAndEpoch;
import org.apache.kafka.common.message.ProduceResponseData.NodeEndpoint;
import org.junit.jupiter.api.Test;
import org.odradek.client.security.CertificateStore;
import org.odradek.client.security.SecuritySettings;
import org.odradek.client.security.TlsSettings;
import org.odradek.protocol.ErrorCode;
import org.odradek.testkit.internal.CertificateAuthority;
import org.odradek.testkit.internal.Identity;

import static org.junit.jupiter.api.Assertions.assertEquals;

/** A broker that names a foreign host, which has a trusted certificate, as the leader. */
class AllowedLeadersTest
{
    private static final int OTHER_ID = 8;
    private static final int EPOCH = 99;

    @Test
    void shouldSendNothingToALeaderThatAResponseNames()
    {
        final CertificateAuthority authority = new CertificateAuthority("test CA");
        final Identity identity = authority.issue("broker", "127.0.0.1", "localhost");
        try (ProducingBroker broker = ProducingBroker.startTls(identity);
            ProducingBroker foreign = ProducingBroker.startTls(identity);
            Publishing client = Publishing.start(Publishing.context(broker.address()).security(SecuritySettings.tlsOnly(
                TlsSettings.trust(CertificateStore.pem(authority.pem())).allowedHosts("127\\.0\\.0\\.1"))),
                ProducingBroker.TOPIC))
        {
            broker.script((call, response) ->
            {
                response.responses().forEach((topic) -> topic.partitionResponses().get(0)
                    .setErrorCode(ErrorCode.NOT_LEADER_OR_FOLLOWER).setBaseOffset(-1)
                    .setCurrentLeader(new LeaderIdAndEpoch().setLeaderId(OTHER_ID).setLeaderEpoch(EPOCH)));
                response.nodeEndpoints().add(
                    new NodeEndpoint().setNodeId(OTHER_ID).setHost("localhost").setPort(foreign.port()));
                return call.answer(response);
            });
            client.offer(0, "a");
            client.workUntil(() -> client.errors.stream().anyMatch(
                (error) -> error.contains("names host localhost, which allowedHosts does not match")));

            assertEquals(0, foreign.acceptedCount());
            assertEquals(0, client.topic().acknowledgedPosition(0));
        }
    }
}
