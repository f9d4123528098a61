// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.group;

import org.apache.kafka.common.message.JoinGroupRequestData;
import org.junit.jupiter.api.BeforeEach;
import org.odradek.consumer.core.ConsumerSettings;
import org.odradek.consumer.handler.GroupProtocol;

import static org.apache.kafka.common.message.ApiMessageType.HEARTBEAT;
import static org.apache.kafka.common.message.ApiMessageType.JOIN_GROUP;
import static org.apache.kafka.common.message.ApiMessageType.SYNC_GROUP;

/** The coordinator of a classic group, over sockets in memory. */
abstract class ClassicFixture extends CoordinatorFixture
{
    static final int HEARTBEAT_MS = 3_000;
    /** The random part of the first interval is 0.55 of it. */
    static final int FIRST_HEARTBEAT_MS = 1_650;

    @BeforeEach
    void classic()
    {
        supportClassicGroups();
        settings.group = new ConsumerSettings.Group("group");
        settings.group.protocol = GroupProtocol.CLASSIC;
    }

    /** Has the next heartbeat answered with a code when it is due. */
    void heartbeat(final int code)
    {
        fail(HEARTBEAT, code);
        timeMs(deadlineMs());
        until(HEARTBEAT);
        cycle();
    }

    /** Does what is due until a time. */
    void heartbeatsUntil(final long ms)
    {
        while (deadlineMs() <= ms)
        {
            timeMs(deadlineMs());
            settle();
        }
        timeMs(ms);
        settle();
    }

    /** Begins with a member that has learnt of its partitions at time 0. */
    void beginSynced(final int... partitions)
    {
        target = partitions;
        beginMember();
        until(SYNC_GROUP);
        cycle();
    }

    String joinedAs()
    {
        return ((JoinGroupRequestData)requests.get(JOIN_GROUP)).memberId();
    }
}
