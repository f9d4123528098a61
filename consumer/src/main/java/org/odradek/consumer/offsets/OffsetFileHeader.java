// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.offsets;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/**
 * The beginning of an offset file, written once, by one write to an empty file.
 * <pre>
 *   0   magic          int64   "odradek" and a line feed, in the byte order of the machine
 *   8   version        int32   1
 *  12   topicLength    int32
 *  16   topic          UTF-8
 *       reserved               0, up to 512
 * 512   entries of two slots each, see {@link OffsetSlots}; as many as the file is long
 * </pre>
 */
final class OffsetFileHeader
{
    static final int LENGTH = 512;

    private static final long MAGIC = 0x0A6B_6564_6172_646FL;
    private static final int VERSION = 1;
    private static final int VERSION_FIELD_OFFSET = Long.BYTES;
    private static final int TOPIC_LENGTH_FIELD_OFFSET = VERSION_FIELD_OFFSET + Integer.BYTES;
    private static final int TOPIC_FIELD_OFFSET = TOPIC_LENGTH_FIELD_OFFSET + Integer.BYTES;
    private static final int MAX_TOPIC_LENGTH = 249;

    private OffsetFileHeader()
    {
    }

    static void checkTopic(final String topic)
    {
        if (topic == null || topic.isEmpty() || topic.getBytes(StandardCharsets.UTF_8).length > MAX_TOPIC_LENGTH)
        {
            throw new IllegalArgumentException(
                "topic is '" + topic + "': a topic's name has 1 to " + MAX_TOPIC_LENGTH + " characters");
        }
    }

    static void write(final FileChannel channel, final String topic) throws IOException
    {
        final byte[] name = topic.getBytes(StandardCharsets.UTF_8);
        final ByteBuffer header = ByteBuffer.allocate(LENGTH).order(ByteOrder.nativeOrder());
        header.putLong(MAGIC).putInt(VERSION).putInt(name.length).put(name).clear();
        final int written = channel.write(header, 0);
        if (written != LENGTH)
        {
            channel.truncate(0);
            throw new IOException("only " + written + " of the " + LENGTH + " bytes of its header were written");
        }
    }

    static void check(final FileChannel channel, final Path path, final String topic) throws IOException
    {
        final ByteBuffer header = ByteBuffer.allocate(LENGTH).order(ByteOrder.nativeOrder());
        final int length = channel.read(header, 0);
        if (length < LENGTH || header.getLong(0) != MAGIC)
        {
            throw new IllegalStateException("File " + path + " is no offset file of this kind of machine: remove it " +
                "or name another.");
        }
        final int version = header.getInt(VERSION_FIELD_OFFSET);
        if (version != VERSION)
        {
            throw new IllegalStateException("Offset file " + path + " has version " + version + ", version " + VERSION +
                " is what this library reads.");
        }
        final int topicLength = header.getInt(TOPIC_LENGTH_FIELD_OFFSET);
        if (topicLength < 1 || topicLength > MAX_TOPIC_LENGTH)
        {
            throw new IllegalStateException("Offset file " + path + " names a topic of " + topicLength +
                " bytes, 1 to " + MAX_TOPIC_LENGTH + " are possible: its header is broken.");
        }
        final String found =
            new String(header.array(), TOPIC_FIELD_OFFSET, topicLength, StandardCharsets.UTF_8);
        if (!found.equals(topic))
        {
            throw new IllegalStateException(
                "Offset file " + path + " holds offsets of topic " + found + ", not of " + topic + ".");
        }
    }
}
