// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol.control;

import org.apache.kafka.common.protocol.ApiMessage;
import org.odradek.protocol.ApiKey;

import java.util.Random;

/** Random control responses, built with the message classes of kafka-clients. */
public final class ControlSeeds
{
    private ControlSeeds()
    {
    }

    public static ApiMessage response(final ApiKey apiKey, final int version, final Random random)
    {
        return switch (apiKey)
        {
            case API_VERSIONS -> ApiVersionsTest.random(version, random);
            case CONSUMER_GROUP_HEARTBEAT -> ConsumerGroupHeartbeatTest.response(random);
            case DESCRIBE_GROUPS -> DescribeGroupsTest.response(version, random);
            case FIND_COORDINATOR -> FindCoordinatorTest.response(version, random);
            case HEARTBEAT -> ClassicGroupTest.heartbeat(random);
            case JOIN_GROUP -> ClassicGroupTest.join(version, random);
            case LEAVE_GROUP -> ClassicGroupTest.leave(version, random);
            case LIST_OFFSETS -> ListOffsetsTest.response(version, random);
            case METADATA -> MetadataResponseFlyweightTest.random(version, random);
            case OFFSET_COMMIT -> OffsetCommitTest.response(version, random);
            case OFFSET_FETCH -> OffsetFetchTest.response(version, random);
            case OFFSET_FOR_LEADER_EPOCH -> OffsetForLeaderEpochTest.response(version, random);
            case SASL_AUTHENTICATE -> SaslTest.authenticate(version, random);
            case SASL_HANDSHAKE -> SaslTest.handshake(random);
            case SYNC_GROUP -> ClassicGroupTest.sync(version, random);
            default -> throw new IllegalArgumentException(apiKey + " is no control API");
        };
    }
}
