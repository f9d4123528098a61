// SPDX-License-Identifier: Apache-2.0
package org.odradek.tools.chaos;

import java.util.Locale;

/**
 * Every kind of fault there is.
 */
enum FaultKind
{
    LEADER_KILL(new LeaderKill()),
    ROLLING_RESTART(new RollingRestart()),
    LEADER_MOVE(new LeaderMove()),
    PARTITION_GROWTH(new PartitionGrowth()),
    RECORD_DELETION(new RecordDeletion()),
    RETENTION(new Retention()),
    UNCLEAN_ELECTION(new UncleanElection()),
    TOPIC_RECREATION(new TopicRecreation()),
    NETWORK_CUT(new NetworkCut()),
    NETWORK_STALL(new NetworkStall()),
    NETWORK_DELAY(new NetworkDelay()),
    SLOW_HANDLER(new SlowHandler()),
    PAUSE_AND_RESUME(new PauseAndResume()),
    REFUSED_RECORDS(new RefusedRecords()),
    SEEKS_BACK(new SeeksBack());

    private final Fault fault;

    FaultKind(final Fault fault)
    {
        this.fault = fault;
    }

    Fault fault()
    {
        return fault;
    }

    @Override
    public String toString()
    {
        return name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }
}
