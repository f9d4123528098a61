// SPDX-License-Identifier: Apache-2.0
package org.odradek.kafka.javaapi.message;

import org.odradek.kafka.message.InvalidMessageException;
import org.odradek.kafka.message.MessageAndOffset;

import java.nio.ByteBuffer;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;

/**
 * The messages of one partition in a response. Brokers return whole batches, so the first messages may have offsets
 * below the requested one; the program skips them.
 */
public final class ByteBufferMessageSet implements Iterable<MessageAndOffset>
{
    private final ByteBuffer buffer;
    private final int validBytes;
    private final String flaw;
    private final List<MessageAndOffset> messages;

    /**
     * @param buffer     the bytes as received.
     * @param validBytes the length of its complete, readable batches.
     * @param messages   of these batches.
     * @param flaw       the reason why the rest cannot be read, or null.
     */
    public ByteBufferMessageSet(
        final ByteBuffer buffer, final int validBytes, final List<MessageAndOffset> messages, final String flaw)
    {
        this.buffer = buffer;
        this.validBytes = validBytes;
        this.messages = messages;
        this.flaw = flaw;
    }

    /**
     * @return an iterator that throws {@link InvalidMessageException} once, after the last valid message, if the log is
     * corrupt.
     */
    @Override
    public Iterator<MessageAndOffset> iterator()
    {
        final Iterator<MessageAndOffset> sound = messages.iterator();
        return new Iterator<>()
        {
            private boolean isReported;

            @Override
            public boolean hasNext()
            {
                return sound.hasNext() || flaw != null && !isReported;
            }

            @Override
            public MessageAndOffset next()
            {
                if (sound.hasNext())
                {
                    return sound.next();
                }
                if (flaw != null && !isReported)
                {
                    isReported = true;
                    throw new InvalidMessageException(flaw);
                }
                throw new NoSuchElementException();
            }
        };
    }

    public int sizeInBytes()
    {
        return buffer.limit();
    }

    /**
     * @return the length up to a batch that was cut off at the fetch size, which is normal.
     */
    public int validBytes()
    {
        return validBytes;
    }

    /**
     * @return the bytes as received.
     */
    public ByteBuffer getBuffer()
    {
        return buffer.duplicate();
    }
}
