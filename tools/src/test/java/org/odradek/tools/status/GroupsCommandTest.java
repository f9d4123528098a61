// SPDX-License-Identifier: Apache-2.0
package org.odradek.tools.status;

import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

import java.util.Map;

import static org.junit.jupiter.api.Assertions.assertEquals;

class GroupsCommandTest
{
    private static final TopicPartition FIRST = new TopicPartition("orders", 0);
    private static final TopicPartition SECOND = new TopicPartition("orders", 1);

    @Test
    void shouldAddTheLagsOfPartitionsWithACommit()
    {
        assertEquals("7", GroupsCommand.total(Map.of(FIRST, 5L, SECOND, -1L), Map.of(FIRST, 12L)));
    }

    /** The end of a partition without a leader cannot be read. */
    @Test
    void shouldNotShowAnUnknownLagAsNone()
    {
        assertEquals("at least 7", GroupsCommand.total(Map.of(FIRST, 5L, SECOND, 5L), Map.of(FIRST, 12L)));
        assertEquals("at least 0", GroupsCommand.total(Map.of(FIRST, 5L), Map.of()));
    }
}
