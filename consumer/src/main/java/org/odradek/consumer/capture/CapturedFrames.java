// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.capture;

import org.agrona.BufferUtil;
import org.agrona.concurrent.UnsafeBuffer;
import org.odradek.protocol.ApiKey;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.zip.CRC32C;

import static java.nio.ByteOrder.LITTLE_ENDIAN;

/**
 * The frames of a captured run, numbered from 0 in the order in which they came. Every length and checksum is compared
 * when it is made; what follows the first entry that is not whole is left out, and {@link #isTorn()} says so. The file
 * may still be written to: what is there at the moment counts.
 */
public final class CapturedFrames implements AutoCloseable
{
    private static final int MAX_PARTITION = 999_999;

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
        missedCount = buffer.getLong(CaptureFileDescriptor.MISSED_FRAMES_FIELD_OFFSET, LITTLE_ENDIAN);
        findEntries(entriesIndex);
    }

    /**
     * Read a file that a consumer has captured into.
     *
     * @param path of the file.
     * @return its frames, to be closed.
     * @throws IllegalArgumentException if it cannot be read or is no such file; the message names it.
     */
    public static CapturedFrames open(final Path path)
    {
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ))
        {
            final int size = (int)Math.min(channel.size(), Integer.MAX_VALUE);
            final ByteBuffer header = read(channel, 0, CaptureFileDescriptor.TOPIC_OFFSET);
            final int entriesIndex = checkHeader(header, size);
            int end = entriesIndex;
            int length = entryLength(channel, end, size);
            while (length > 0 && length <= size - end)
            {
                end += length;
                length = entryLength(channel, end, size);
            }
            // Only what will never be cut off: its writer gives back the rest of the file when it ends.
            return new CapturedFrames(
                channel.map(FileChannel.MapMode.READ_ONLY, 0, end), entriesIndex, length != 0, true);
        }
        catch (final IOException ex)
        {
            throw new IllegalArgumentException("the frames in " + path + " cannot be read: " + ex, ex);
        }
        catch (final IllegalArgumentException ex)
        {
            throw new IllegalArgumentException("the frames in " + path + " cannot be read: " + ex.getMessage(), ex);
        }
    }

    /**
     * Frames that {@link FrameCapture#into} has captured.
     *
     * @param memory they are in, unchanged as long as this is used.
     * @return the frames.
     */
    public static CapturedFrames of(final ByteBuffer memory)
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

    private static int entryLength(final FileChannel channel, final int index, final int size) throws IOException
    {
        if (size - index < Integer.BYTES)
        {
            return index == size ? 0 : -1;
        }
        return read(channel, index, Integer.BYTES).order(LITTLE_ENDIAN).getInt(0);
    }

    private static int checkHeader(final ByteBuffer header, final int size)
    {
        header.order(LITTLE_ENDIAN);
        if (header.limit() < CaptureFileDescriptor.TOPIC_OFFSET ||
            header.getLong(CaptureFileDescriptor.MAGIC_FIELD_OFFSET) != CaptureFileDescriptor.MAGIC)
        {
            throw new IllegalArgumentException("they do not begin as captured frames do");
        }
        final int version = header.getInt(CaptureFileDescriptor.VERSION_FIELD_OFFSET);
        if (version != CaptureFileDescriptor.VERSION)
        {
            throw new IllegalArgumentException(
                "they have version " + version + " where " + CaptureFileDescriptor.VERSION + " was expected");
        }
        final int topicLength = header.getInt(CaptureFileDescriptor.TOPIC_LENGTH_FIELD_OFFSET);
        if (topicLength < 0 || topicLength > CaptureFileDescriptor.MAX_TOPIC_LENGTH ||
            CaptureFileDescriptor.entriesIndex(topicLength) > size)
        {
            throw new IllegalArgumentException("a topic's name of " + topicLength + " bytes is beyond their end");
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
            if (partition < 0 || partition > MAX_PARTITION ||
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

    /**
     * The topic that was read.
     */
    public String topic()
    {
        return topic;
    }

    /**
     * How many frames there are.
     */
    public int count()
    {
        return count;
    }

    /**
     * Of all frames, without what was noted beside them.
     */
    public long bytes()
    {
        return bytes;
    }

    /**
     * Frames that came after the file was full, and are not in it.
     */
    public long missedCount()
    {
        return missedCount;
    }

    /**
     * Whether something follows the last frame that is not whole, or not what was written.
     */
    public boolean isTorn()
    {
        return isTorn;
    }

    /**
     * When a frame was there as a whole, in milliseconds since 1970.
     *
     * @param frame its number.
     * @return the time.
     */
    public long timeMs(final int frame)
    {
        return buffer.getLong(entries[frame] + CaptureFileDescriptor.TIME_FIELD_OFFSET, LITTLE_ENDIAN);
    }

    /**
     * The broker that a frame came from.
     *
     * @param frame its number.
     * @return the node id.
     */
    public int nodeId(final int frame)
    {
        return buffer.getInt(entries[frame] + CaptureFileDescriptor.NODE_ID_FIELD_OFFSET, LITTLE_ENDIAN);
    }

    /**
     * The version of Fetch in which a frame is.
     *
     * @param frame its number.
     * @return the version.
     */
    public int version(final int frame)
    {
        return buffer.getInt(entries[frame] + CaptureFileDescriptor.FETCH_VERSION_FIELD_OFFSET, LITTLE_ENDIAN);
    }

    /**
     * Of the id that the topic had then.
     *
     * @param frame its number.
     * @return the first half.
     */
    public long topicIdMostSignificantBits(final int frame)
    {
        return buffer.getLong(entries[frame] + CaptureFileDescriptor.TOPIC_ID_FIELD_OFFSET, LITTLE_ENDIAN);
    }

    /**
     * Of the id that the topic had then.
     *
     * @param frame its number.
     * @return the second half.
     */
    public long topicIdLeastSignificantBits(final int frame)
    {
        return buffer.getLong(
            entries[frame] + CaptureFileDescriptor.TOPIC_ID_FIELD_OFFSET + Long.BYTES, LITTLE_ENDIAN);
    }

    /**
     * How many record sets of a frame were taken in to be delivered.
     *
     * @param frame its number.
     * @return the count.
     */
    public int setCount(final int frame)
    {
        return buffer.getInt(entries[frame] + CaptureFileDescriptor.SET_COUNT_FIELD_OFFSET, LITTLE_ENDIAN);
    }

    /**
     * The partition of a record set.
     *
     * @param frame its number.
     * @param set   of the frame, from 0.
     * @return its id.
     */
    public int partition(final int frame, final int set)
    {
        return buffer.getInt(setIndex(frame, set), LITTLE_ENDIAN);
    }

    /**
     * The offset that was asked for when a record set came.
     *
     * @param frame its number.
     * @param set   of the frame, from 0.
     * @return the offset.
     */
    public long fetchOffset(final int frame, final int set)
    {
        return buffer.getLong(setIndex(frame, set) + CaptureFileDescriptor.SET_OFFSET_FIELD_OFFSET, LITTLE_ENDIAN);
    }

    private int setIndex(final int frame, final int set)
    {
        return entries[frame] + CaptureFileDescriptor.SETS_OFFSET + set * CaptureFileDescriptor.SET_LENGTH;
    }

    /**
     * Where a frame begins, with its size field.
     *
     * @param frame its number.
     * @return the index in {@link #memory()}.
     */
    public int frameIndex(final int frame)
    {
        return setIndex(frame, setCount(frame));
    }

    /**
     * Of a frame, in bytes, its size field among them.
     *
     * @param frame its number.
     * @return the length.
     */
    public int frameLength(final int frame)
    {
        return buffer.getInt(entries[frame] + CaptureFileDescriptor.FRAME_LENGTH_FIELD_OFFSET, LITTLE_ENDIAN);
    }

    /**
     * All of it, for reading only; gone once this is closed.
     */
    public UnsafeBuffer buffer()
    {
        return buffer;
    }

    /**
     * The same bytes as {@link #buffer()}; position and limit are nobody's.
     */
    public ByteBuffer memory()
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
