// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol;

import org.agrona.BufferUtil;

import java.nio.ByteBuffer;

/**
 * Frees direct memory at once. With the system property {@value #OVERWRITE_PROP_NAME} set to true, the memory is first
 * overwritten, so that a test notices when something still reads it.
 */
public final class DirectMemory
{
    public static final String OVERWRITE_PROP_NAME = "org.odradek.overwrite.freed.memory";

    private static final boolean IS_OVERWRITTEN = Boolean.getBoolean(OVERWRITE_PROP_NAME);
    private static final byte FREED = (byte)0xDB;

    private DirectMemory()
    {
    }

    /** @param buffer of direct memory, not a view of another buffer. Neither it nor a view of it may be used again. */
    public static void free(final ByteBuffer buffer)
    {
        if (IS_OVERWRITTEN)
        {
            buffer.clear();
            for (int i = 0; i < buffer.limit(); i++)
            {
                buffer.put(i, FREED);
            }
        }
        BufferUtil.free(buffer);
    }
}
