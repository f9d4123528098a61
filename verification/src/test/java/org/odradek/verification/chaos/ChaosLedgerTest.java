// SPDX-License-Identifier: Apache-2.0
package org.odradek.verification.chaos;

import org.junit.jupiter.api.Test;

import java.util.Arrays;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * The ledger must find every mistake that a consumer can make, and nothing else. The log of each test holds sequence
 * 100 + offset.
 */
class ChaosLedgerTest
{
    private static final int END = 10;

    private final ChaosLedger.Partition ledger = new ChaosLedger(false).partition(0);

    ChaosLedgerTest()
    {
        for (int offset = 0; offset < END; offset++)
        {
            ledger.onAcked(offset, sequence(offset));
        }
    }

    @Test
    void shouldFindNothingWrongWithTheWholeLogInOrder()
    {
        deliver(0, END);

        assertTrue(ledger.compare(log(0, 0, END)));

        assertEquals(END, tally().right);
    }

    @Test
    void shouldFindADroppedRecord()
    {
        deliver(0, 4);
        deliver(5, END);

        assertFalse(ledger.compare(log(0, 0, END)));

        assertEquals(1, tally().lost);
        assertEquals(END - 1, tally().right);
    }

    @Test
    void shouldFindRecordsMissingAtTheEnd()
    {
        deliver(0, 7);

        assertFalse(ledger.compare(log(0, 0, END)));

        assertEquals(3, tally().lost);
    }

    @Test
    void shouldFindARepeatedRecord()
    {
        deliver(0, 5);
        deliver(4, END);

        assertFalse(ledger.compare(log(0, 0, END)));

        assertEquals(1, tally().repeated);
        assertEquals(0, tally().lost);
    }

    @Test
    void shouldFindARecordRepeatedAfterItWasCompared()
    {
        deliver(0, END);
        ledger.compare(log(0, 0, END));

        deliver(3, 4);

        assertEquals(1, tally().repeated);
        assertFalse(tally().isClean());
    }

    @Test
    void shouldFindTwoRecordsInTheWrongOrder()
    {
        deliver(0, 3);
        deliver(4, 5);
        deliver(3, 4);
        deliver(5, END);

        assertFalse(ledger.compare(log(0, 0, END)));

        assertEquals(1, tally().outOfOrder);
        assertEquals(0, tally().lost);
    }

    @Test
    void shouldFindAnotherPayload()
    {
        deliver(0, 6);
        ledger.onDelivered(6, sequence(7));
        deliver(7, END);

        assertFalse(ledger.compare(log(0, 0, END)));

        assertEquals(1, tally().wrong);
    }

    @Test
    void shouldFindABrokenPayload()
    {
        deliver(0, 6);
        ledger.onDelivered(6, ChaosRecord.BROKEN);
        deliver(7, END);

        assertFalse(ledger.compare(log(0, 0, END)));

        assertEquals(1, tally().wrong);
    }

    @Test
    void shouldFindARecordAfterTheEndOfTheLog()
    {
        deliver(0, END + 1);

        assertFalse(ledger.compare(log(0, 0, END)));

        assertEquals(1, tally().wrong);
    }

    @Test
    void shouldFindAPayloadThatChangesWhenReadAgain()
    {
        deliver(0, 5);
        ledger.onDelivered(4, 99);

        assertEquals(1, tally().repeated);
        assertEquals(1, tally().wrong);
    }

    @Test
    void shouldAccountForDeletedOffsetsByTheirGap()
    {
        deliver(0, 3);
        ledger.onGap(3, 8);
        deliver(8, END);

        assertTrue(ledger.compare(log(8, 0, END)));

        assertEquals(5, tally().right);
        assertEquals(5, tally().gapped);
        assertEquals(1, tally().gaps);
    }

    @Test
    void shouldFindAMissingGapEvent()
    {
        deliver(0, 3);
        deliver(8, END);

        assertFalse(ledger.compare(log(8, 0, END)));

        assertEquals(5, tally().unaccounted);
        assertEquals(0, tally().lost);
    }

    @Test
    void shouldFindAGapThatIsTooShort()
    {
        deliver(0, 3);
        ledger.onGap(3, 7);
        deliver(8, END);

        assertFalse(ledger.compare(log(8, 0, END)));

        assertEquals(1, tally().unaccounted);
    }

    @Test
    void shouldFindAGapOverExistingRecords()
    {
        deliver(0, 3);
        ledger.onGap(3, 8);
        deliver(8, END);

        assertFalse(ledger.compare(log(6, 0, END)));

        assertEquals(2, tally().lost);
        assertEquals(3, tally().gapped);
    }

    @Test
    void shouldFindAGapThatWasDelivered()
    {
        deliver(0, 5);
        ledger.onGap(3, 8);

        assertFalse(tally().isClean());
        assertTrue(tally().falseEvents > 0);
    }

    @Test
    void shouldFindALateGapEvent()
    {
        deliver(0, 3);
        deliver(8, END);
        ledger.onGap(3, 8);

        assertFalse(ledger.compare(log(8, 0, END)));

        assertTrue(tally().falseEvents > 0);
    }

    @Test
    void shouldCheckDeletedRecordsByAcknowledgements()
    {
        deliver(0, 2);
        ledger.onDelivered(2, sequence(3));
        deliver(3, END);

        assertFalse(ledger.compare(log(END, 0, END)));

        assertEquals(1, tally().wrong);
        assertEquals(END - 1, tally().right);
    }

    @Test
    void shouldFindRecordsThatTheClusterLost()
    {
        deliver(0, END - 1);

        assertFalse(ledger.compare(log(0, 0, END - 1)));

        assertEquals(1, tally().clusterLost);
    }

    @Test
    void shouldExpectRecordsAgainAfterASeek()
    {
        deliver(0, 6);
        ledger.onSeek(2);
        deliver(2, END);

        assertTrue(ledger.compare(log(0, 0, END)));

        assertEquals(END, tally().right);
    }

    @Test
    void shouldFindRecordsThatASeekLoses()
    {
        deliver(0, 6);
        ledger.onSeek(2);
        deliver(6, END);

        assertFalse(ledger.compare(log(0, 0, END)));

        assertEquals(4, tally().lost);
    }

    @Test
    void shouldExpectTruncatedRecordsAgain()
    {
        final ChaosLedger.Partition truncated = new ChaosLedger(true).partition(0);
        deliver(truncated, 0, 8);
        truncated.onTruncation(8);
        truncated.onReset(8, 5);
        truncated.onDelivered(5, 1_005);
        truncated.onDelivered(6, 1_006);

        assertTrue(truncated.compare(rewrittenLog()));

        final ChaosLedger.Tally tally = tally(truncated);
        assertEquals(3, tally.truncated);
        assertEquals(7, tally.right);
    }

    @Test
    void shouldFindAMissingTruncationEvent()
    {
        final ChaosLedger.Partition truncated = new ChaosLedger(true).partition(0);
        deliver(truncated, 0, 8);

        assertFalse(truncated.compare(rewrittenLog()));

        assertEquals(3, tally(truncated).wrong);
    }

    @Test
    void shouldFindATruncationWithoutReset()
    {
        final ChaosLedger.Partition truncated = new ChaosLedger(true).partition(0);
        deliver(truncated, 0, 8);
        truncated.onTruncation(8);
        truncated.onDelivered(5, 1_005);
        truncated.onDelivered(6, 1_006);

        assertFalse(truncated.compare(rewrittenLog()));

        assertEquals(2, tally(truncated).repeated);
    }

    @Test
    void shouldFindATruncationOfALogThatCannotBeTruncated()
    {
        deliver(0, 8);
        ledger.onTruncation(8);

        assertEquals(1, tally().falseEvents);
    }

    @Test
    void shouldFindAResetToALowerOffset()
    {
        deliver(0, 8);
        ledger.onReset(8, 0);

        assertEquals(1, tally().falseEvents);
    }

    private void deliver(final int from, final int to)
    {
        deliver(ledger, from, to);
    }

    private static void deliver(final ChaosLedger.Partition ledger, final int from, final int to)
    {
        for (int offset = from; offset < to; offset++)
        {
            ledger.onDelivered(offset, sequence(offset));
        }
    }

    private static ChaosLedger.Slice log(final int start, final int from, final int to)
    {
        final long[] sequences = new long[to - from];
        Arrays.setAll(sequences, (i) -> from + i < start ? ChaosLedger.NONE : sequence(from + i));
        return new ChaosLedger.Slice(start, from, to, sequences);
    }

    private static ChaosLedger.Slice rewrittenLog()
    {
        return new ChaosLedger.Slice(0, 0, 7, new long[]{100, 101, 102, 103, 104, 1_005, 1_006});
    }

    private static long sequence(final int offset)
    {
        return 100 + offset;
    }

    private ChaosLedger.Tally tally()
    {
        return tally(ledger);
    }

    private static ChaosLedger.Tally tally(final ChaosLedger.Partition ledger)
    {
        final ChaosLedger.Tally tally = new ChaosLedger.Tally();
        ledger.addTo(tally);
        return tally;
    }
}
