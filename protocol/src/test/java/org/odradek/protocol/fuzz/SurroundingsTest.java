// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol.fuzz;

import org.agrona.UnsafeApi;
import org.junit.jupiter.api.Test;
import org.odradek.protocol.WireFormatException;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class SurroundingsTest
{
    private static final byte[] BYTES = {1, 2, 3, 4, 5};

    @Test
    void shouldDetectAByteReadAfterTheLimit()
    {
        assertTrue(difference((memory, index, limit, readout) -> readout.value(
            "byte", UnsafeApi.getByte(memory.buffer().addressOffset() + limit))).contains("byte=-1"));
    }

    @Test
    void shouldDetectAByteReadAfterTheLimitThatMakesNoDifference()
    {
        assertThrows(InternalError.class, () -> Surroundings.read(BYTES, (memory, index, limit, readout) ->
            readout.value("sum", 0 & UnsafeApi.getByte(memory.buffer().addressOffset() + limit))));
    }

    @Test
    void shouldDetectAByteReadBeforeTheIndex()
    {
        assertTrue(difference((memory, index, limit, readout) ->
            readout.value("byte", memory.buffer().getByte(index - 1))).contains("byte=0"));
    }

    @Test
    void shouldDetectARefusalThatDependsOnBytesAfterTheLimit()
    {
        difference((memory, index, limit, readout) ->
        {
            if (memory.buffer().getByte(limit) == 0)
            {
                throw new WireFormatException("field at index 3: found 0, expected 1");
            }
        });
    }

    @Test
    void shouldDetectAViewOutsideOfTheFrame()
    {
        difference((memory, index, limit, readout) -> readout.bytes("key", limit - 1, 2));
        difference((memory, index, limit, readout) -> readout.bytes("key", index - 1, 1));
        difference((memory, index, limit, readout) -> readout.bytes("key", index, Integer.MAX_VALUE));
    }

    @Test
    void shouldDetectThatTheFrameWasOverwritten()
    {
        difference((memory, index, limit, readout) -> memory.buffer().putByte(limit - 1, (byte) 6));
    }

    @Test
    void shouldCountIndexesFromTheFirstByte()
    {
        final String digest = Surroundings.read(BYTES, (memory, index, limit, readout) ->
        {
            throw new WireFormatException("field at index " + (index + 2) + ": found 3, expected it at index " + limit);
        });

        assertNotEquals(digest, Surroundings.read(BYTES, (memory, index, limit, readout) ->
        {
            throw new WireFormatException("field at index " + (index + 3) + ": found 3, expected it at index " + limit);
        }));
    }

    @Test
    void shouldHaveTheSameDigestForTheSameReadoutOnly()
    {
        final Surroundings.Walk walk =
            (memory, index, limit, readout) -> readout.bytes("all", index, limit - index);

        assertEquals(Surroundings.read(BYTES, walk), Surroundings.read(BYTES.clone(), walk));
        assertNotEquals(Surroundings.read(BYTES, walk), Surroundings.read(new byte[]{1, 2, 3, 4, 6}, walk));
    }

    private static String difference(final Surroundings.Walk walk)
    {
        return assertThrows(AssertionError.class, () -> Surroundings.read(BYTES, walk)).getMessage();
    }
}
