// SPDX-License-Identifier: Apache-2.0
package org.odradek.workers;

import org.agrona.concurrent.ringbuffer.OneToOneRingBuffer;
import org.agrona.concurrent.ringbuffer.RingBufferDescriptor;
import org.odradek.protocol.record.Record;
import org.odradek.protocol.record.RecordCopy;
import org.odradek.protocol.record.RecordMemory;

/**
 * The ring of a worker, through which the polling thread passes copies of records. The type of a message is the number
 * of the ownership of its partition ({@link Fences}).
 */
final class WorkerRing
{
    final RecordMemory memory;
    final OneToOneRingBuffer messages;

    WorkerRing(final int length)
    {
        memory = new RecordMemory(length + RingBufferDescriptor.TRAILER_LENGTH);
        messages = new OneToOneRingBuffer(memory.buffer());
    }

    /**
     * @param length the length of the copy in bytes, at most the maximum length of a message.
     * @return false if the ring is full.
     */
    boolean write(final Record record, final int length, final int ownership)
    {
        final int index = messages.tryClaim(ownership, length);
        if (index < 0)
        {
            return false;
        }
        RecordCopy.write(record, memory, index);
        messages.commit(index);
        return true;
    }
}
