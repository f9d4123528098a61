// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.group;

import org.apache.kafka.common.message.OffsetCommitResponseData;
import org.junit.jupiter.api.Test;
import org.odradek.consumer.core.ConsumerSettings;
import org.odradek.consumer.handler.GroupProtocol;
import org.odradek.consumer.handler.GroupState;

import static org.apache.kafka.common.message.ApiMessageType.CONSUMER_GROUP_HEARTBEAT;
import static org.apache.kafka.common.message.ApiMessageType.HEARTBEAT;
import static org.apache.kafka.common.message.ApiMessageType.OFFSET_COMMIT;
import static org.apache.kafka.common.message.ApiMessageType.SYNC_GROUP;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Tests which errors of a coordinator are reported, how often, and after how long a time one ends what waits. */
class CoordinatorReportsTest extends CoordinatorFixture
{
    @Test
    void shouldReportAnErrorAgainOnlyAfterASuccess()
    {
        beginKnown();
        fail(OFFSET_COMMIT, 30, 30, 0, 30);
        for (int i = 1; i <= 4; i++)
        {
            commit(1 + i);
            until(OFFSET_COMMIT);
            cycle();
            timeMs(1_000 * i);
            assertEquals(i < 4 ? 1 : 2, errors.size(), errors::toString);
        }
    }

    /** A heartbeat that is answered says nothing about commits. */
    @Test
    void shouldReportALastingErrorOnceWhateverHeartbeatsAreAnswered()
    {
        beginJoined();
        fail(OFFSET_COMMIT, 30, 30);
        commit(2);
        until(OFFSET_COMMIT);
        settle();
        timeMs(INTERVAL_MS);
        until(CONSUMER_GROUP_HEARTBEAT);
        settle();
        commit(3);
        until(OFFSET_COMMIT);
        settle();
        assertEquals(1, errors.size(), errors::toString);
    }

    @Test
    void shouldReportAnErrorOfHeartbeatsAgainAfterOneWasAnswered()
    {
        beginJoined();
        fail(CONSUMER_GROUP_HEARTBEAT, -1, -1, 0, -1);
        for (int i = 1; i <= 4; i++)
        {
            timeMs(i * INTERVAL_MS);
            until(CONSUMER_GROUP_HEARTBEAT);
            settle();
            assertEquals(i < 4 ? 1 : 2, errors.size(), errors::toString);
        }
    }

    /** Both fail with the same code, and end at different times. */
    @Test
    void shouldReportErrorsOfCommitsBesideThoseOfHeartbeats()
    {
        beginJoined();
        fail(CONSUMER_GROUP_HEARTBEAT, -1);
        fail(OFFSET_COMMIT, -1);
        timeMs(INTERVAL_MS);
        until(CONSUMER_GROUP_HEARTBEAT);
        cycle();
        commit(2);
        until(OFFSET_COMMIT);
        cycle();
        assertEquals(2, errors.size(), errors::toString);
        assertTrue(errors.get(1).contains("OFFSET_COMMIT failed with UNKNOWN_SERVER_ERROR"), errors::toString);
    }

    /** The join of each attempt is answered without an error, which ends nothing. */
    @Test
    void shouldReportALastingErrorOfSyncsOnce()
    {
        supportClassicGroups();
        settings.group = new ConsumerSettings.Group("group");
        settings.group.protocol = GroupProtocol.CLASSIC;
        fail(SYNC_GROUP, -1, -1, -1, 0);
        fail(HEARTBEAT, 0, -1);
        beginMember();
        for (int i = 0; i < 4; i++)
        {
            timeMs(i * INTERVAL_MS);
            until(SYNC_GROUP);
            cycle();
            assertEquals(1, errors.size(), errors::toString);
        }
        for (int i = 4; i < 6; i++)
        {
            timeMs(i * INTERVAL_MS);
            until(HEARTBEAT);
            cycle();
        }
        assertEquals(2, errors.size(), errors::toString);
    }

    /** The new coordinator counts the session of the member that was killed from its beginning. */
    @Test
    void shouldWaitForAnInstanceIdAgainWhenTheCoordinatorHasMoved()
    {
        beginJoined();
        script(CONSUMER_GROUP_HEARTBEAT, BROKEN);
        fail(CONSUMER_GROUP_HEARTBEAT, 111, 111, 16, 111, 111, 111);
        for (final long ms : new long[] {5_000, 10_000, 70_000, 80_000, 90_000, 170_000})
        {
            coordinatorId = ms < 80_000 ? COORDINATOR : BROKER;
            timeMs(ms);
            until(CONSUMER_GROUP_HEARTBEAT);
            settle();
            assertFalse(member.isEnded(), "after " + ms + " ms");
        }
        timeMs(180_001);
        until(CONSUMER_GROUP_HEARTBEAT);
        settle();
        assertEquals(GroupState.FAILED, member.state());
    }

    @Test
    void shouldReportThatAnOffsetIsGivenUpAfterAMinute()
    {
        beginKnown();
        fail(OFFSET_COMMIT, 3, 3);
        commitAnswered(2);
        assertEquals(1, errors.size(), errors::toString);
        topic.confirm();
        timeMs(60_001);
        until(OFFSET_COMMIT);
        cycle();
        assertEquals(2, errors.size(), errors::toString);
        assertTrue(errors.get(1).contains("offset of partition 0 cannot be committed"), errors::toString);
        assertEquals(3, coordinator.commits().errorCode(0));
    }

    @Test
    void shouldReportAPartitionThatAnAnswerLeavesOut()
    {
        beginKnown();
        script(OFFSET_COMMIT, (request) -> new OffsetCommitResponseData());
        commitAnswered(2);
        assertEquals(1, errors.size(), errors::toString);
        assertTrue(errors.get(0).contains("leaves out partition 0"), errors::toString);
        timeMs(100);
        until(OFFSET_COMMIT);
    }
}
