// SPDX-License-Identifier: Apache-2.0
package org.odradek.verification.chaos;

import org.junit.jupiter.api.Test;

import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;

class SoakLedgerTest
{
    private final SoakLedger ledger = new SoakLedger(2);

    @Test
    void shouldFindNothingWrongIfAllRecordsAreInTheOutput()
    {
        write(0, 3);
        write(1, 1);
        assertEquals(4, ledger.lag());

        output(0, 2);
        output(1, 0);
        output(0, 0);
        output(0, 1);

        assertEquals(0, ledger.lag());
        assertEquals(4, ledger.ackedCount());
        assertEquals(0, ledger.repeatCount());
        assertEquals(List.of(), ledger.problems());
    }

    @Test
    void shouldFindALostRecordBehindARepeatedOne()
    {
        write(0, 3);

        output(0, 0);
        output(0, 2);
        output(0, 2);

        assertEquals(1, ledger.lag());
        assertEquals(1, ledger.repeatCount());
        assertEquals(List.of("1 of the 3 records of partition 0 of the input are not in the output, " +
            "the first of them is record 1"), ledger.problems());
    }

    @Test
    void shouldFindABrokenRecord()
    {
        final byte[] value = ChaosRecord.value(0, 0);
        value[ChaosRecord.LENGTH - 1]++;

        ledger.onOutput(value);
        ledger.onOutput(null);

        assertEquals(List.of("2 records of the output are broken"), ledger.problems());
    }

    private void write(final int partition, final int count)
    {
        for (int i = 0; i < count; i++)
        {
            ledger.onAcked(partition);
        }
    }

    private void output(final int partition, final long sequence)
    {
        ledger.onOutput(ChaosRecord.value(partition, sequence));
    }
}
