// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol.record;

import org.agrona.concurrent.UnsafeBuffer;
import org.odradek.protocol.WireBytes;

/**
 * A cursor over the headers of one record, in their order; several headers may have the same key. The cursor is valid
 * as long as the view of the record. The whole record has been checked before, so the cursor cannot fail.
 */
public final class RecordHeadersFlyweight
{
    private final RecordVarints varints = new RecordVarints();

    private int remaining;
    private int keyIndex;
    private int keyLength;
    private int valueIndex;
    private int valueLength;
    private UnsafeBuffer buffer;
    private ViewLifetime lifetime;

    void wrap(
        final UnsafeBuffer buffer, final int index, final int limit, final int count, final ViewLifetime lifetime)
    {
        this.buffer = buffer;
        this.lifetime = lifetime;
        remaining = count;
        varints.wrap(buffer.addressOffset(), index, limit);
    }

    /**
     * Moves to the next header.
     *
     * @return true if there is a next header; false after the last one.
     */
    public boolean next()
    {
        ViewLifetime.check(lifetime);
        if (remaining == 0)
        {
            return false;
        }
        remaining--;
        keyLength = varints.next();
        keyIndex = varints.index();
        varints.skip(keyLength);
        valueLength = varints.next();
        valueIndex = varints.index();
        if (valueLength > 0)
        {
            varints.skip(valueLength);
        }
        return true;
    }

    /**
     * Moves to the next header with a given key.
     *
     * @param key the bytes of the key, in UTF-8.
     * @return true if there is such a header; false if no further header has this key.
     */
    public boolean next(final byte[] key)
    {
        while (next())
        {
            if (WireBytes.areEqual(buffer, keyIndex, keyLength, key))
            {
                return true;
            }
        }
        return false;
    }

    /** The index in {@link Record#buffer()} at which the key of the current header begins. */
    public int keyIndex()
    {
        ViewLifetime.check(lifetime);
        return keyIndex;
    }

    /** The length of the key of the current header, in bytes. */
    public int keyLength()
    {
        ViewLifetime.check(lifetime);
        return keyLength;
    }

    /** The index in {@link Record#buffer()} at which the value of the current header begins. */
    public int valueIndex()
    {
        ViewLifetime.check(lifetime);
        return valueIndex;
    }

    /** The length of the value of the current header in bytes, or -1 if the value is null. */
    public int valueLength()
    {
        ViewLifetime.check(lifetime);
        return valueLength;
    }
}
