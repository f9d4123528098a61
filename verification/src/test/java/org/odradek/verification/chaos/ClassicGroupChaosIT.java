// SPDX-License-Identifier: Apache-2.0
package org.odradek.verification.chaos;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.List;

/** A short form of {@code odradek chaos --group --protocol classic}. */
@Tag("slow")
@Timeout(900)
class ClassicGroupChaosIT
{
    /** The faults that differ most from those of the other protocol; the command strikes with all. */
    @Test
    void shouldHoldAllRulesOfAClassicGroup()
    {
        GroupChaosIT.assertClean(List.of(GroupFault.JOIN, GroupFault.LEAVE, GroupFault.KILL, GroupFault.LONG_STOP,
            GroupFault.SLOW_POLLS, GroupFault.INTERRUPT, GroupFault.CLASSIC_MEMBER, GroupFault.COORDINATOR_KILL,
            GroupFault.RESPONSES_LOST), GroupRun.CLASSIC);
    }
}
