// SPDX-License-Identifier: Apache-2.0
package org.odradek.workers;

import org.agrona.DirectBuffer;
import org.odradek.protocol.record.Record;

import java.nio.ByteOrder;

/**
 * Chooses the worker of a record. Records for which it chooses the same worker are handled in the order in which they
 * were polled, so all records of a key must have the same worker while the program runs.
 */
@FunctionalInterface
public interface RecordRouter
{
    /** The result for a record that needs no worker. */
    int DONE = -1;

    /** Chooses a worker by a hash of the key, or of the partition if a record has no key. */
    RecordRouter BY_KEY = (record, workers) ->
    {
        final int length = record.keyLength();
        final long hash = length < 0 ? mix(record.partition() + 1L) : hash(record.buffer(), record.keyIndex(), length);
        return (int)((hash >>> Integer.SIZE) * workers >>> Integer.SIZE);
    };

    /**
     * Chooses the worker of a record, on the polling thread. If this method throws, the error handler is notified, and
     * nothing is dispatched until the partition is sought, paused or unassigned.
     *
     * @param record  a view, valid until this method returns.
     * @param workers the worker count.
     * @return the index of a worker, from 0 to {@code workers - 1}, or {@link #DONE}.
     */
    int worker(Record record, int workers);

    private static long hash(final DirectBuffer buffer, final int index, final int length)
    {
        long hash = length;
        int at = index;
        final int limit = index + length;
        for (; at + Long.BYTES <= limit; at += Long.BYTES)
        {
            hash = mix(hash ^ buffer.getLong(at, ByteOrder.LITTLE_ENDIAN));
        }
        long rest = 0;
        for (; at < limit; at++)
        {
            rest = rest << Byte.SIZE | buffer.getByte(at) & 0xFF;
        }
        return mix(hash ^ rest);
    }

    /** The finalizer of MurmurHash3 for 64 bits. */
    private static long mix(final long value)
    {
        long hash = value;
        hash = (hash ^ hash >>> 33) * 0xFF51AFD7ED558CCDL;
        hash = (hash ^ hash >>> 33) * 0xC4CEB9FE1A85EC53L;
        return hash ^ hash >>> 33;
    }
}
