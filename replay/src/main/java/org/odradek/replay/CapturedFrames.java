// SPDX-License-Identifier: Apache-2.0
package org.odradek.replay;

import org.agrona.BufferUtil;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.odradek.client.files.RegularFile;
import org.odradek.client.files.Uninterrupted;
import org.odradek.protocol.ApiKey;
import org.odradek.protocol.PrintableText;
import org.odradek.protocol.WireLimits;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.zip.CRC32C;

import static java.nio.ByteOrder.LITTLE_ENDIAN;

/**
 * The frames of a capture file, numbered from 0 in the order in which they arrived. If an entry is incomplete or
 * damaged, this entry and everything after it are ignored, and {@link #isTorn()} returns true. Frames that a consumer
 * writes to the file after {@link #open} are not visible.
 */
public final class CapturedFrames implements AutoCloseable
{
    private final ByteBuffer memory;
    private final UnsafeBuffer buffer;
    private final boolean isOwned;
    private final String topic;
    private final long missedCount;
    private int[] entries = new int[16];
    private int count;
    private long bytes;
    private boolean isTorn;

    private CapturedFrames(final ByteBuffer memory, final int entriesIndex, final boolean isTorn, final boolean isOwned)
    {
        this.memory = memory;
        this.isTorn = isTorn;
        this.isOwned = isOwned;
        buffer = new UnsafeBuffer(memory);
        final byte[] name = new byte[buffer.getInt(CaptureFileDescriptor.TOPIC_LENGTH_FIELD_OFFSET, LITTLE_ENDIAN)];
        buffer.getBytes(CaptureFileDescriptor.TOPIC_OFFSET, name);
        topic = new String(name, StandardCharsets.UTF_8);
        if (!PrintableText.isPrintable(topic))
        {
            throw new IllegalArgumentException("its topic is not printable: " + PrintableText.of(topic));
        }
        missedCount = buffer.getLong(CaptureFileDescriptor.MISSED_FRAMES_FIELD_OFFSET, LITTLE_ENDIAN);
        findEntries(entriesIndex);
    }

    /**
     * Maps a capture file, and checks the length and the checksum of each entry.
     *
     * @return the frames, which the caller closes.
     * @throws IllegalArgumentException if the file cannot be read or is not a capture file; the message names it.
     */
    public static CapturedFrames open(final Path path)
    {
        try
        {
            return Uninterrupted.run(() -> map(path));
        }
        catch (final IOException ex)
        {
            throw new IllegalArgumentException("the capture file " + path + " cannot be read: " + ex, ex);
        }
        catch (final IllegalArgumentException ex)
        {
            throw new IllegalArgumentException("the capture file " + path + " cannot be read: " + ex.getMessage(), ex);
        }
    }

    private static CapturedFrames map(final Path path) throws IOException
    {
        try (FileChannel channel = RegularFile.open(path))
        {
            final int size = (int)Math.min(channel.size(), Integer.MAX_VALUE);
            final ByteBuffer header = read(channel, 0, CaptureFileDescriptor.TOPIC_OFFSET);
            final int entriesIndex = checkHeader(header, size);
            int end = entriesIndex;
            int length = entryLength(channel, end, size);
            while (length >= CaptureFileDescriptor.SETS_OFFSET && length <= size - end)
            {
                end += length;
                length = entryLength(channel, end, size);
            }
            // Only complete entries are mapped, because the writer cuts off the rest of the file when it closes.
            return new CapturedFrames(
                channel.map(FileChannel.MapMode.READ_ONLY, 0, end), entriesIndex, length != 0, true);
        }
    }

    /** @param memory the memory of a capture, which must not change while the result is in use. */
    static CapturedFrames of(final ByteBuffer memory)
    {
        return new CapturedFrames(memory, checkHeader(memory.duplicate(), memory.capacity()), false, false);
    }

    private static ByteBuffer read(final FileChannel channel, final long position, final int length) throws IOException
    {
        final ByteBuffer read = ByteBuffer.allocate(length);
        while (read.hasRemaining() && channel.read(read, position + read.position()) > 0)
        {
            continue;
        }
        return read.flip();
    }

    /**
     * Returns the length of the entry at an index; 0 at the end of the entries, and -1 if too few bytes follow.
     *
     * @param size the size of the file in bytes when it was opened. The writer may have truncated the file since then.
     */
    static int entryLength(final FileChannel channel, final int index, final int size) throws IOException
    {
        if (size - index < Integer.BYTES)
        {
            return index == size ? 0 : -1;
        }
        final ByteBuffer length = read(channel, index, Integer.BYTES);
        if (length.limit() < Integer.BYTES)
        {
            return length.limit() == 0 ? 0 : -1;
        }
        return length.order(LITTLE_ENDIAN).getInt(0);
    }

    private static int checkHeader(final ByteBuffer header, final int size)
    {
        header.order(LITTLE_ENDIAN);
        if (header.limit() < CaptureFileDescriptor.TOPIC_OFFSET ||
            header.getLong(CaptureFileDescriptor.MAGIC_FIELD_OFFSET) != CaptureFileDescriptor.MAGIC)
        {
            throw new IllegalArgumentException("it does not begin with the header of a capture file");
        }
        final int version = header.getInt(CaptureFileDescriptor.VERSION_FIELD_OFFSET);
        if (version != CaptureFileDescriptor.VERSION)
        {
            throw new IllegalArgumentException(
                "its version is " + version + " where " + CaptureFileDescriptor.VERSION + " was expected");
        }
        final int topicLength = header.getInt(CaptureFileDescriptor.TOPIC_LENGTH_FIELD_OFFSET);
        if (topicLength < 0 || topicLength > CaptureFileDescriptor.MAX_TOPIC_LENGTH ||
            CaptureFileDescriptor.entriesIndex(topicLength) > size)
        {
            throw new IllegalArgumentException("its topic name of " + topicLength + " bytes does not fit");
        }
        return CaptureFileDescriptor.entriesIndex(topicLength);
    }

    private void findEntries(final int from)
    {
        final CRC32C checksum = new CRC32C();
        final int limit = buffer.capacity();
        int index = from;
        while (limit - index >= CaptureFileDescriptor.SETS_OFFSET)
        {
            final int length = buffer.getInt(index + CaptureFileDescriptor.ENTRY_LENGTH_FIELD_OFFSET, LITTLE_ENDIAN);
            if (length == 0)
            {
                return;
            }
            if (!isWhole(index, length, limit, checksum))
            {
                isTorn = true;
                return;
            }
            if (count == entries.length)
            {
                entries = Arrays.copyOf(entries, 2 * count);
            }
            entries[count++] = index;
            bytes += frameLength(count - 1);
            index += length;
        }
    }

    private boolean isWhole(final int index, final int length, final int limit, final CRC32C checksum)
    {
        if (length < CaptureFileDescriptor.SETS_OFFSET || length > limit - index)
        {
            return false;
        }
        final int setCount = buffer.getInt(index + CaptureFileDescriptor.SET_COUNT_FIELD_OFFSET, LITTLE_ENDIAN);
        final int frameLength = buffer.getInt(index + CaptureFileDescriptor.FRAME_LENGTH_FIELD_OFFSET, LITTLE_ENDIAN);
        final int version = buffer.getInt(index + CaptureFileDescriptor.FETCH_VERSION_FIELD_OFFSET, LITTLE_ENDIAN);
        if (setCount < 0 || frameLength < 2 * Integer.BYTES || version < ApiKey.FETCH.minVersion() ||
            version > ApiKey.FETCH.maxVersion() || CaptureFileDescriptor.entryLength(setCount, frameLength) != length)
        {
            return false;
        }
        for (int set = 0; set < setCount; set++)
        {
            final int at = index + CaptureFileDescriptor.SETS_OFFSET + set * CaptureFileDescriptor.SET_LENGTH;
            final int partition = buffer.getInt(at, LITTLE_ENDIAN);
            if (partition < 0 || partition >= WireLimits.MAX_PARTITIONS ||
                buffer.getLong(at + CaptureFileDescriptor.SET_OFFSET_FIELD_OFFSET, LITTLE_ENDIAN) < 0)
            {
                return false;
            }
        }
        checksum.reset();
        checksum.update(
            memory.duplicate().limit(index + length).position(index + CaptureFileDescriptor.CHECKED_OFFSET));
        return (int)checksum.getValue() ==
            buffer.getInt(index + CaptureFileDescriptor.CHECKSUM_FIELD_OFFSET, LITTLE_ENDIAN);
    }

    /** Returns the name of the topic. */
    public String topic()
    {
        return topic;
    }

    /** Returns the number of frames. */
    public int count()
    {
        return count;
    }

    /** Returns the length of all frames in bytes. */
    public long bytes()
    {
        return bytes;
    }

    /** Returns the number of frames that the file does not contain because it was full. */
    public long missedCount()
    {
        return missedCount;
    }

    /** Returns true if an incomplete or damaged entry follows the last frame. */
    public boolean isTorn()
    {
        return isTorn;
    }

    /** Returns the time in milliseconds since 1970 at which a frame was received completely. */
    public long timeMs(final int frame)
    {
        return buffer.getLong(entries[frame] + CaptureFileDescriptor.TIME_FIELD_OFFSET, LITTLE_ENDIAN);
    }

    /** Returns the id of the broker that sent a frame. */
    public int nodeId(final int frame)
    {
        return buffer.getInt(entries[frame] + CaptureFileDescriptor.NODE_ID_FIELD_OFFSET, LITTLE_ENDIAN);
    }

    /** Returns the version of the Fetch response in a frame. */
    public int version(final int frame)
    {
        return buffer.getInt(entries[frame] + CaptureFileDescriptor.FETCH_VERSION_FIELD_OFFSET, LITTLE_ENDIAN);
    }

    /** Returns the first half of the topic id of a frame; 0 if the id is not known. */
    public long topicIdMostSignificantBits(final int frame)
    {
        return buffer.getLong(entries[frame] + CaptureFileDescriptor.TOPIC_ID_FIELD_OFFSET, LITTLE_ENDIAN);
    }

    /** Returns the second half of the topic id of a frame; 0 if the id is not known. */
    public long topicIdLeastSignificantBits(final int frame)
    {
        return buffer.getLong(
            entries[frame] + CaptureFileDescriptor.TOPIC_ID_FIELD_OFFSET + Long.BYTES, LITTLE_ENDIAN);
    }

    /** Returns the number of record sets of a frame that the consumer delivered. */
    public int setCount(final int frame)
    {
        return buffer.getInt(entries[frame] + CaptureFileDescriptor.SET_COUNT_FIELD_OFFSET, LITTLE_ENDIAN);
    }

    /** Returns the partition of a record set. Record sets are numbered from 0 within their frame. */
    public int partition(final int frame, final int set)
    {
        return buffer.getInt(setIndex(frame, set), LITTLE_ENDIAN);
    }

    /** Returns the offset from which a record set was requested. */
    public long fetchOffset(final int frame, final int set)
    {
        return buffer.getLong(setIndex(frame, set) + CaptureFileDescriptor.SET_OFFSET_FIELD_OFFSET, LITTLE_ENDIAN);
    }

    private int setIndex(final int frame, final int set)
    {
        return entries[frame] + CaptureFileDescriptor.SETS_OFFSET + set * CaptureFileDescriptor.SET_LENGTH;
    }

    /** Returns the index of a frame's size field in {@link #buffer()}. */
    public int frameIndex(final int frame)
    {
        return setIndex(frame, setCount(frame));
    }

    /** Returns the length of a frame in bytes, including its size field. */
    public int frameLength(final int frame)
    {
        return buffer.getInt(entries[frame] + CaptureFileDescriptor.FRAME_LENGTH_FIELD_OFFSET, LITTLE_ENDIAN);
    }

    /** Returns the content of the file, which must not be changed. It is valid until {@link #close()}. */
    public DirectBuffer buffer()
    {
        return buffer;
    }

    ByteBuffer memory()
    {
        return memory;
    }

    @Override
    public void close()
    {
        if (isOwned)
        {
            BufferUtil.free(memory);
        }
    }
}
