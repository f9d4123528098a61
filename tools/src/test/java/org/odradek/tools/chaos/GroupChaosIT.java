// SPDX-License-Identifier: Apache-2.0
package org.odradek.tools.chaos;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.List;

import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Short forms of {@code odradek chaos --group}. Each strikes with a fixed number of faults, however long that takes.
 */
@Tag("slow")
@Timeout(900)
class GroupChaosIT
{
    private static final int SEED = 1;
    private static final int RATE = 500;
    private static final int PARTITIONS = 6;

    @Test
    void shouldHoldAllRulesBesideStockMembersWhileTheCoordinatorFails()
    {
        final List<GroupFault> kinds = List.of(GroupFault.KILL, GroupFault.LONG_STOP, GroupFault.CLASSIC_MEMBER,
            GroupFault.STOCK_MEMBER, GroupFault.COORDINATOR_KILL, GroupFault.COORDINATOR_MOVE,
            GroupFault.COORDINATOR_CUT, GroupFault.RESPONSES_LOST, GroupFault.STATIC_RESTART, GroupFault.STATIC_KILL,
            GroupFault.TOPIC_GROWTH, GroupFault.LONG_HANDLER, GroupFault.KEPT_ALIVE);
        final GroupRun.Result result =
            new GroupRun(kinds, SEED, 0, RATE, PARTITIONS, GroupSabotage.NONE, System.out::println).run();

        assertTrue(result.isClean(), result.toText());
    }

    /** {@code odradek chaos --group --defect NAME} runs the other defects, which take minutes. */
    @Test
    void shouldFindMembersThatDoNotCommit()
    {
        final GroupRun.Result result = GroupRun.of(GroupSabotage.NO_COMMIT, SEED, System.out::println).run();

        assertTrue(result.isFound(GroupSabotage.NO_COMMIT), result.toText());
    }
}
