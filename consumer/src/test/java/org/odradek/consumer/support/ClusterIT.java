// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.support;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.extension.ExtendWith;
import org.odradek.consumer.ClusterAllocationIT;
import org.odradek.consumer.LeaderMovesIT;
import org.odradek.consumer.group.GroupMovesIT;

/** Runs all tests that need a cluster one after another, with one cluster. {@code -Dit.test} may name them, too. */
@ExtendWith(SharedCluster.class)
class ClusterIT
{
    @Nested
    class ClusterAllocation extends ClusterAllocationIT
    {
    }

    @Nested
    class GroupMoves extends GroupMovesIT
    {
    }

    @Nested
    class LeaderMoves extends LeaderMovesIT
    {
    }
}
