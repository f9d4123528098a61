// SPDX-License-Identifier: Apache-2.0
package org.odradek.verification.chaos;

import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertEquals;

class ChaosRecordTest
{
    @Test
    void shouldReturnItsSequence()
    {
        final byte[] value = ChaosRecord.value(3, 0x1_0000_0001L);

        assertEquals(0x1_0000_0001L, ChaosRecord.sequence(3, value));
        assertEquals(0x1_0000_0001L, ChaosRecord.sequence(3, new UnsafeBuffer(value), 0, value.length));
    }

    @Test
    void shouldNotBelongToAnotherPartition()
    {
        assertEquals(ChaosRecord.BROKEN, ChaosRecord.sequence(4, ChaosRecord.value(3, 7)));
    }

    @Test
    void shouldRefuseAnotherLength()
    {
        final UnsafeBuffer buffer = new UnsafeBuffer(new byte[2 * ChaosRecord.LENGTH]);

        assertEquals(ChaosRecord.BROKEN, ChaosRecord.sequence(0, null));
        assertEquals(ChaosRecord.BROKEN, ChaosRecord.sequence(0, new byte[ChaosRecord.LENGTH - 1]));
        assertEquals(ChaosRecord.BROKEN, ChaosRecord.sequence(0, buffer, 0, ChaosRecord.LENGTH + 1));
        assertEquals(ChaosRecord.BROKEN, ChaosRecord.sequence(0, buffer, 0, -1));
    }

    @Test
    void shouldNoticeEveryChangedByte()
    {
        for (int i = 0; i < ChaosRecord.LENGTH; i++)
        {
            final byte[] value = ChaosRecord.value(3, 7);
            value[i] ^= 0x10;

            assertEquals(ChaosRecord.BROKEN, ChaosRecord.sequence(3, value), "byte " + i);
        }
    }
}
