// SPDX-License-Identifier: Apache-2.0
package org.odradek.kafka.javaapi.message;

import org.odradek.kafka.message.InvalidMessageException;
import org.odradek.kafka.message.MessageAndOffset;

import java.nio.ByteBuffer;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;

/**
 * The messages of one partition in a response. The first messages may have offsets below the requested one, because
 * brokers return whole batches; the program skips them.
 */
public final class ByteBufferMessageSet implements Iterable<MessageAndOffset>
{
    private final ByteBuffer buffer;
    private final int validBytes;
    private final String flaw;
    private final List<MessageAndOffset> messages;

    /**
     * Creates a set.
     *
     * @param buffer     the bytes received.
     * @param validBytes the length of the complete, readable batches.
     * @param messages   the messages of these batches.
     * @param flaw       the reason for which the rest cannot be read, or null.
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
     * Returns an iterator. If the rest of the set cannot be read, it throws {@link InvalidMessageException} once, after
     * the last valid message.
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

    /** Returns the length of the complete, readable batches in bytes. */
    public int validBytes()
    {
        return validBytes;
    }

    /** Returns a view of the bytes of the set. */
    public ByteBuffer getBuffer()
    {
        return buffer.duplicate();
    }
}
