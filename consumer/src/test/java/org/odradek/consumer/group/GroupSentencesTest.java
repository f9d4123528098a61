// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.group;

import org.junit.jupiter.api.Test;
import org.odradek.protocol.ApiKey;
import org.odradek.protocol.ErrorCode;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

/** The sentences that report errors of groups. */
class GroupSentencesTest
{
    private static final ApiKey HEARTBEAT = ApiKey.CONSUMER_GROUP_HEARTBEAT;

    @Test
    void shouldReportOnlyWhatAUserCanChange()
    {
        assertEquals(
            "the heartbeat of member m failed with TOPIC_AUTHORIZATION_FAILED (words); the consumer tries again.",
            GroupErrors.report(HEARTBEAT, ErrorCode.TOPIC_AUTHORIZATION_FAILED, "words", "m", null, false));
        assertEquals("the join group failed with INVALID_REQUEST; this consumer is not a member and reads nothing.",
            GroupErrors.report(ApiKey.JOIN_GROUP, ErrorCode.INVALID_REQUEST, null, "", null, true));
        assertEquals("instance id i is held by another process, or by one that was killed and whose session has not " +
            "expired; the consumer tries again.",
            GroupErrors.report(HEARTBEAT, ErrorCode.UNRELEASED_INSTANCE_ID, null, "m", "i", false));
        assertNull(GroupErrors.report(HEARTBEAT, ErrorCode.INVALID_REQUEST, null, "m", null, false));
        assertNull(GroupErrors.report(HEARTBEAT, ErrorCode.NOT_COORDINATOR, null, "m", null, true));
    }

    @Test
    void shouldTellWhyAMemberWasFencedOrHasFailed()
    {
        assertEquals("The coordinator answered a heartbeat with UNKNOWN_MEMBER_ID (words); all partitions are lost, " +
            "and the member joins again.",
            GroupErrors.failure(HEARTBEAT, ErrorCode.UNKNOWN_MEMBER_ID, "words", false));
        assertEquals("The coordinator answered a heartbeat with UNSUPPORTED_VERSION, because consumer groups need " +
            "brokers from 4.0 on with the feature group.version=1.",
            GroupErrors.failure(HEARTBEAT, ErrorCode.UNSUPPORTED_VERSION, null, true));
        assertEquals("The coordinator answered a sync group with UNSUPPORTED_VERSION, because classic groups need " +
            "brokers from 2.3 on.", GroupErrors.failure(ApiKey.SYNC_GROUP, ErrorCode.UNSUPPORTED_VERSION, null, true));
    }

    @Test
    void shouldTellWhetherItRetries()
    {
        assertEquals("OFFSET_COMMIT failed with UNKNOWN_MEMBER_ID, because a live group owns this group id: " +
            "use another.", GroupErrors.error(ApiKey.OFFSET_COMMIT, ErrorCode.UNKNOWN_MEMBER_ID, false));
        assertEquals("OFFSET_COMMIT failed with UNKNOWN_SERVER_ERROR; the consumer tries again.",
            GroupErrors.error(ApiKey.OFFSET_COMMIT, ErrorCode.UNKNOWN_SERVER_ERROR, true));
    }
}
