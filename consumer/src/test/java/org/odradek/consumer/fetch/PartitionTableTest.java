// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.fetch;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.odradek.consumer.core.ConsumerSettings;
import org.odradek.consumer.handler.StopReason;
import org.odradek.protocol.control.ListOffsetsRequestEncoder;

import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

class PartitionTableTest
{
    private static final int P = 5;
    private static final long NOW_NS = Long.MAX_VALUE - 3;

    private static final long BACKOFF_NS = TimeUnit.MILLISECONDS.toNanos(10);

    private static final long MS = 1_000_000;
    private final ConsumerSettings settings = new ConsumerSettings();
    private final PartitionTable table = new PartitionTable(settings);
    private int generation;

    @BeforeEach
    void assign()
    {
        settings.retryBackoffMs = 10;
        settings.retryBackoffMaxMs = 30;
        // No jitter.
        settings.random = () -> Long.MIN_VALUE;
        table.ensureCapacity(P + 1);
        table.leader(P, 1, 7);
        table.assignAtOffset(P, 100, PartitionTable.NULL_EPOCH);
        table.takeAssignmentChanged();
        table.takeMetadataNeed();
        generation = table.generation(P);
    }

    /** Sets the offsets as after a response that has been delivered in part. */
    private void deliverTo(final long nextOffset, final long requestOffset)
    {
        table.delivered(P, nextOffset, 7);
        table.requestOffset(P, requestOffset);
    }

    private void assertDropped(final long nextOffset)
    {
        assertNotEquals(generation, table.generation(P));
        assertEquals(nextOffset, table.nextOffset(P));
        assertEquals(nextOffset, table.partition(P).requestOffset);
    }

    // Behaviour E51, tried 2026-11-30: A partition is requested if it is assigned, not paused and has an offset. The
    // next fetch is sent before records are delivered.
    @Test
    void shouldBeFetchableFromItsOffset()
    {
        assertTrue(table.isAssigned(P));
        assertTrue(table.isFetchable(P, NOW_NS));
        assertEquals(100, table.nextOffset(P));
        assertEquals(100, table.partition(P).requestOffset);
        assertEquals(PartitionTable.FETCHING, table.state(P));
        for (final int other : new int[] {-1, 0, P - 1, P + 1, 1000})
        {
            assertFalse(table.isAssigned(other));
        }
        assertFalse(table.isFetchable(P - 1, NOW_NS));
        table.pause(P);
        assertFalse(table.isFetchable(P, NOW_NS));
        table.resume(P);
        table.lookUp(P, ListOffsetsRequestEncoder.LATEST_TIMESTAMP);
        assertFalse(table.isFetchable(P, NOW_NS));
    }

    // Behaviour D45.
    @Test
    void shouldKeepItsContentWhenItGrows()
    {
        table.ensureCapacity(3);
        assertEquals(P + 1, table.capacity());
        table.ensureCapacity(100);
        assertEquals(100, table.capacity());
        assertEquals(100, table.nextOffset(P));
        assertEquals(1, table.leaderId(P));
        assertEquals(generation, table.generation(P));
        assertEquals(PartitionTable.NULL_LEADER, table.leaderId(99));
        assertEquals(PartitionTable.NULL_OFFSET, table.nextOffset(99));
        assertFalse(table.isAssigned(99));
    }

    @Test
    void shouldDiscardDataInFlightWhenSought()
    {
        deliverTo(110, 200);
        table.seek(P, 3);
        assertDropped(3);
    }

    @Test
    void shouldDiscardDataInFlightWhenPausedAndNotWhenResumed()
    {
        deliverTo(110, 200);
        table.pause(P);
        assertDropped(110);
        assertFalse(table.isFetchable(P, NOW_NS));
        generation = table.generation(P);
        table.resume(P);
        assertEquals(generation, table.generation(P));
        assertTrue(table.isFetchable(P, NOW_NS));
    }

    @Test
    void shouldDiscardDataInFlightWhenStoppedAndContinueWhenSought()
    {
        deliverTo(110, 200);
        table.stop(P, StopReason.BROKER_ERROR, (short)9);
        assertDropped(110);
        assertEquals(PartitionTable.STOPPED, table.state(P));
        assertFalse(table.isFetchable(P, NOW_NS));
        assertTrue(table.describe(P).contains("stopped for BROKER_ERROR") && table.describe(P).contains("lastError=9"));
        table.seek(P, 120);
        assertTrue(table.isFetchable(P, NOW_NS));
    }

    @Test
    void shouldDiscardDataInFlightWhenItsLeaderOrEpochChanges()
    {
        deliverTo(110, 200);
        assertFalse(table.leader(P, 1, 7));
        assertEquals(generation, table.generation(P));

        assertTrue(table.leader(P, 1, 8));
        assertDropped(110);
        assertFalse(table.takeAssignmentChanged());
        assertTrue(table.leader(P, 2, 8));
        assertTrue(table.takeAssignmentChanged());
        assertFalse(table.takeAssignmentChanged());
    }

    // Behaviour J123.
    @Test
    void shouldForgetAllWhenUnassigned()
    {
        deliverTo(110, 200);
        table.progress(P, 300, 290, 10);
        table.pause(P);
        table.unassign(P);
        assertNotEquals(generation, table.generation(P));
        assertFalse(table.isAssigned(P) || table.isPaused(P) || table.isFetchable(P, NOW_NS));
        assertEquals(PartitionTable.NULL_OFFSET, table.nextOffset(P));
        assertEquals(PartitionTable.NULL_OFFSET, table.partition(P).highWatermark());
        assertTrue(table.takeAssignmentChanged());
    }

    @Test
    void shouldReturnToARefusedRecord()
    {
        deliverTo(111, 200);
        assertTrue(table.refuse(P, 110, 111, generation));
        assertEquals(110, table.nextOffset(P));
        assertEquals(200, table.partition(P).requestOffset);
    }

    @Test
    void shouldRequestARefusedRecordAgainAfterItsBatchWasDiscarded()
    {
        deliverTo(111, 200);
        table.pause(P);
        table.resume(P);
        assertTrue(table.refuse(P, 110, 111, generation));
        assertDropped(110);
    }

    @Test
    void shouldNotReturnToARefusedRecordAfterASeekToTheNextOne()
    {
        deliverTo(111, 200);
        table.seek(P, 111);
        assertFalse(table.refuse(P, 110, 111, generation));
        assertEquals(111, table.nextOffset(P));
    }

    @Test
    void shouldNotReturnToARefusedRecordAfterASeek()
    {
        deliverTo(111, 200);
        table.seek(P, 50);
        assertFalse(table.refuse(P, 110, 111, generation));
        assertDropped(50);
        table.unassign(P);
        assertFalse(table.refuse(P, 49, 50, generation));
    }

    @Test
    void shouldAwaitAnOffsetBeforeItIsFetched()
    {
        final int startCount = table.partition(P).lookup().id();
        table.assignAtTimestamp(P, 12_345);
        assertEquals(PartitionTable.AWAITING_OFFSET, table.state(P));
        assertEquals(12_345, table.partition(P).lookup().timestamp());
        assertEquals(PartitionTable.NULL_OFFSET, table.nextOffset(P));
        assertEquals(startCount + 1, table.partition(P).lookup().id());
        assertFalse(table.isFetchable(P, NOW_NS));
        assertTrue(table.checkWaiting(NOW_NS));

        table.seek(P, 4);
        assertTrue(table.isFetchable(P, NOW_NS));
        assertFalse(table.checkWaiting(NOW_NS));
    }

    @Test
    void shouldKeepItsOffsetAndItsPauseDuringAnOffsetLookup()
    {
        deliverTo(110, 200);
        table.pause(P);
        final int search = table.partition(P).lookup().id();
        table.lookUp(P, -2);
        assertDropped(110);
        assertEquals(PartitionTable.AWAITING_OFFSET, table.state(P));
        assertEquals(-2, table.partition(P).lookup().timestamp());
        assertNotEquals(search, table.partition(P).lookup().id());
        assertTrue(table.isPaused(P));
        assertTrue(table.checkWaiting(NOW_NS));
        assertFalse(table.hasFetchOffset(P));
    }

    @Test
    void shouldAwaitValidationByALeaderWithANewerEpochThanThatOfItsLastRecord()
    {
        deliverTo(110, 200);
        table.leader(P, 1, 8);
        assertEquals(PartitionTable.AWAITING_VALIDATION, table.state(P));
        assertDropped(110);
        assertFalse(table.isFetchable(P, NOW_NS));
        assertTrue(table.checkWaiting(NOW_NS));
        assertTrue(table.hasFetchOffset(P));

        table.validated(P);
        assertTrue(table.isFetchable(P, NOW_NS));
        assertFalse(table.checkWaiting(NOW_NS));
    }

    @Test
    void shouldNotAwaitValidationOfRecordsThatTheLeaderItselfHasWritten()
    {
        table.delivered(P, 110, 8);
        table.leader(P, 1, 8);
        assertEquals(PartitionTable.FETCHING, table.state(P));
        table.leader(P, 1, PartitionTable.NULL_EPOCH);
        assertEquals(PartitionTable.FETCHING, table.state(P));
    }

    @Test
    void shouldNotAwaitValidationOfAnOffsetThatWasSought()
    {
        deliverTo(110, 200);
        table.seek(P, 110);
        table.leader(P, 1, 8);
        assertEquals(PartitionTable.FETCHING, table.state(P));
        table.leader(P, 2, 9);
        table.seek(P, 120, 7);
        table.leader(P, 3, 10);
        assertEquals(PartitionTable.AWAITING_VALIDATION, table.state(P));
        table.seek(P, 5);
        assertEquals(PartitionTable.FETCHING, table.state(P));
    }

    @Test
    void shouldNotBeFetchableDuringABackoff()
    {
        assertFalse(table.checkWaiting(NOW_NS));
        assertTrue(table.backOff(P, (short) 6, NOW_NS));
        assertTrue(table.isAnyWaiting());
        assertFalse(table.isFetchable(P, NOW_NS + BACKOFF_NS - 1));
        assertTrue(table.checkWaiting(NOW_NS + BACKOFF_NS - 1));
        assertTrue(table.isFetchable(P, NOW_NS + BACKOFF_NS));
        assertFalse(table.checkWaiting(NOW_NS + BACKOFF_NS));

        // The backoff ends at time 0, which has no special meaning.
        assertFalse(table.backOff(P, (short) 6, -2 * BACKOFF_NS));
        assertFalse(table.isFetchable(P, -1));
        assertTrue(table.isFetchable(P, 0));
        table.backOff(P, (short) 6, 0);
        table.progress(P, 1, 1, 1);
        assertTrue(table.isFetchable(P, 0));
    }

    private void assertBackOff(final long delayNs)
    {
        table.backOff(P, (short) 6, NOW_NS);
        assertFalse(table.isFetchable(P, NOW_NS + delayNs - 1));
        assertTrue(table.isFetchable(P, NOW_NS + delayNs));
    }

    @Test
    void shouldDoubleTheBackoffUpToTheLongestUntilABrokerAnswersWithoutAnError()
    {
        for (int i = 0; i < 2; i++)
        {
            assertBackOff(BACKOFF_NS);
            assertBackOff(2 * BACKOFF_NS);
            assertBackOff(3 * BACKOFF_NS);
            assertBackOff(3 * BACKOFF_NS);
            table.progress(P, 1, 1, 1);
        }
    }

    @Test
    void shouldBeginTheBackoffAgainWhenItIsAssignedAgain()
    {
        assertBackOff(BACKOFF_NS);
        table.unassign(P);
        table.assignAtOffset(P, 100, PartitionTable.NULL_EPOCH);

        assertTrue(table.isFetchable(P, NOW_NS));
        assertBackOff(BACKOFF_NS);
    }

    /** Otherwise a partition would be requested without end from two brokers that each name the other as its leader. */
    @Test
    void shouldBeFetchableAtOnceFromAnotherLeaderOrOffsetAndThenBackOffForLonger()
    {
        assertBackOff(BACKOFF_NS);
        table.leader(P, 2, 7);
        assertTrue(table.isFetchable(P, NOW_NS));
        assertBackOff(2 * BACKOFF_NS);
        table.seek(P, 200);
        assertTrue(table.isFetchable(P, NOW_NS));
        assertEquals(0, table.partition(P).errorCode);
        assertBackOff(3 * BACKOFF_NS);
        table.validated(P);
        assertTrue(table.isFetchable(P, NOW_NS));
    }

    @Test
    void shouldBackOffForLongerWhileTheHandlerFailsAtTheSameOffset()
    {
        table.stopByHandler(P, 0);
        assertEquals(1, table.stoppedCount());
        assertResumedAfter(0, 10);
        assertEquals(0, table.stoppedCount());

        // A good response in between does not shorten the next delay, and another leader does not end it.
        table.progress(P, 200, 200, 0);
        table.stopByHandler(P, 1_000 * MS);
        table.leader(P, 3, 7);
        assertResumedAfter(1_000, 20);

        table.delivered(P, 101, 7);
        table.stopByHandler(P, 2_000 * MS);
        assertResumedAfter(2_000, 10);

        table.stopByHandler(P, 3_000 * MS);
        table.seek(P, 101);
        assertTrue(table.isFetchable(P, 3_000 * MS));
    }

    private void assertResumedAfter(final long stoppedMs, final long delayMs)
    {
        assertFalse(table.isFetchable(P, (stoppedMs + delayMs) * MS));
        table.resume(P);
        assertFalse(table.isFetchable(P, (stoppedMs + delayMs) * MS - 1));
        assertTrue(table.isFetchable(P, (stoppedMs + delayMs) * MS));
    }

    @Test
    void shouldRequestMetadataWhenAPartitionWithoutALeaderIsAssigned()
    {
        table.unassign(P);
        table.assignAtOffset(P, 100, PartitionTable.NULL_EPOCH);
        assertEquals(PartitionTable.Need.NONE, table.takeMetadataNeed());
        table.unassign(P);
        table.leader(P, PartitionTable.NULL_LEADER, PartitionTable.NULL_EPOCH);
        table.assignAtTimestamp(P, 5);
        assertNotEquals(PartitionTable.Need.NONE, table.takeMetadataNeed());
    }

    @Test
    void shouldKeepFlagsUntilTheyAreCleared()
    {
        assertFalse(table.hasChanges());
        table.requestMetadata();
        assertTrue(table.hasChanges());
        assertNotEquals(PartitionTable.Need.NONE, table.takeMetadataNeed());
        assertEquals(PartitionTable.Need.NONE, table.takeMetadataNeed());
        table.unassign(P);
        assertTrue(table.hasChanges());
        assertTrue(table.takeAssignmentChanged());
        assertFalse(table.hasChanges());
    }

    /** Whichever lease ends first, each of the others ends, too. */
    @Test
    void shouldReturnEachPartitionToItsLeaderWhenItsLeaseEnds()
    {
        final int[][] orders = {{0, 1, 2}, {2, 1, 0}, {1, 0, 2}, {1, 2, 0}};
        for (final int[] order : orders)
        {
            for (int p = 0; p < order.length; p++)
            {
                table.leader(p, 1, 7);
                table.useReplica(p, 2, NOW_NS + 10 * order[p]);
            }
            for (int ended = 0; ended < order.length; ended++)
            {
                table.expireReplicas(NOW_NS + 10 * ended - 1);
                assertLeases(order, ended);
                table.expireReplicas(NOW_NS + 10 * ended);
                assertLeases(order, ended + 1);
            }
        }
    }

    private void assertLeases(final int[] order, final int ended)
    {
        for (int p = 0; p < order.length; p++)
        {
            assertEquals(order[p] < ended ? 1 : 2, table.partition(p).nodeId());
        }
    }

    @Test
    void shouldHaveAStoredOffsetValidatedOnlyByALeaderThatIsNewer()
    {
        table.assignAtOffset(P, 120, 6);
        assertEquals(PartitionTable.AWAITING_VALIDATION, table.state(P));
        assertTrue(table.checkWaiting(NOW_NS));
        table.assignAtOffset(P, 120, 7);
        assertEquals(PartitionTable.FETCHING, table.state(P));
        table.assignAtOffset(P, 120, PartitionTable.NULL_EPOCH);
        assertEquals(PartitionTable.FETCHING, table.state(P));
    }

    @Test
    void shouldWaitForNothingButMetadataWithoutALeader()
    {
        table.assignAtTimestamp(P, -1);
        assertTrue(table.checkWaiting(NOW_NS));
        table.leader(P, PartitionTable.NULL_LEADER, PartitionTable.NULL_EPOCH);
        assertFalse(table.checkWaiting(NOW_NS));
        table.leader(P, 2, 8);
        assertTrue(table.checkWaiting(NOW_NS));
    }
}
