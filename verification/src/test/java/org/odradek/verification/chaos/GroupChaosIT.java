// SPDX-License-Identifier: Apache-2.0
package org.odradek.verification.chaos;

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

    @Test
    void shouldHoldAllRulesBesideOtherMembersWhileTheCoordinatorFails()
    {
        assertClean(GroupFault.available(GroupRun.CONSUMER), GroupRun.CONSUMER);
    }

    static void assertClean(final List<GroupFault> faults, final String protocol)
    {
        final RunResult<GroupJudge.Rule> result = new GroupRun(
            faults, GroupRun.Settings.brief(SEED, protocol), GroupSabotage.NONE, System.out::println).run();

        assertTrue(result.isClean(), result.toText());
    }

    /** {@code odradek chaos --group --defect NAME} runs the other defects, which take minutes. */
    @Test
    void shouldFindMembersThatDoNotCommit()
    {
        final RunResult<GroupJudge.Rule> result = GroupRun.of(GroupSabotage.NO_COMMIT, SEED, System.out::println).run();

        assertTrue(result.isFound(GroupSabotage.NO_COMMIT.rule()), result.toText());
    }
}
