// SPDX-License-Identifier: Apache-2.0
package org.odradek.tools.chaos;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

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
    void shouldHoldAllRulesWhenMembersComeAndGo()
    {
        shouldEndClean(List.of(GroupFault.JOIN, GroupFault.LEAVE, GroupFault.KILL, GroupFault.SHORT_STOP,
            GroupFault.LONG_STOP));
    }

    @Test
    void shouldHoldAllRulesBesideStockMembersWhileTheCoordinatorFails()
    {
        shouldEndClean(List.of(GroupFault.CLASSIC_MEMBER, GroupFault.STOCK_MEMBER, GroupFault.COORDINATOR_KILL,
            GroupFault.COORDINATOR_MOVE, GroupFault.COORDINATOR_CUT, GroupFault.RESPONSES_LOST,
            GroupFault.STATIC_RESTART, GroupFault.STATIC_KILL, GroupFault.TOPIC_GROWTH, GroupFault.LONG_HANDLER,
            GroupFault.KEPT_ALIVE));
    }

    @ParameterizedTest
    @EnumSource(value = GroupSabotage.class, mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void shouldFindADefectOfMembers(final GroupSabotage defect)
    {
        final GroupRun.Result result = GroupRun.of(defect, SEED, System.out::println).run();

        assertTrue(result.isFound(defect), result.toText());
    }

    private static void shouldEndClean(final List<GroupFault> kinds)
    {
        final GroupRun.Result result = new GroupRun(
            kinds, SEED, 0, RATE, PARTITIONS, GroupSabotage.NONE, System.out::println).run();

        System.out.println(result.toText());
        assertTrue(result.isClean(), result.toText());
    }
}
