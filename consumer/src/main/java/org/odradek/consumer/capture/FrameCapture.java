// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.capture;

import org.agrona.BufferUtil;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.odradek.consumer.handler.ConsumerListener;
import org.odradek.consumer.net.CounterWriter;
import org.odradek.consumer.status.ConsumerCounters;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.zip.CRC32C;

import static java.nio.ByteOrder.LITTLE_ENDIAN;

/**
 * Writes fetch responses into a mapped file, whole frames one behind the other, without allocating anything. An entry's
 * length is stored last, so that a process that is killed leaves a file that ends with a whole frame; its checksum is
 * for machines that lose power. The first frame that does not fit ends the capture: it and all later ones are counted,
 * and an event tells of it once. Owned by the polling thread of one consumer.
 */
public final class FrameCapture
{
    /**
     * Captures nothing.
     */
    public static final FrameCapture OFF = new FrameCapture();

    private static final int FILL_LENGTH = 1 << 20;

    private final boolean isOn;
    private final String file;
    private final RandomAccessFile opened;
    private final ByteBuffer memory;
    private final ByteBuffer checkedView;
    private final UnsafeBuffer buffer;
    private final ConsumerListener listener;
    private final CounterWriter counters;
    private final CRC32C checksum = new CRC32C();
    private int entryIndex;
    private int setIndex;
    private int entryLength;
    private int frameLength;
    private long frames;
    private boolean isFull;

    private FrameCapture()
    {
        isOn = false;
        file = null;
        opened = null;
        memory = null;
        checkedView = null;
        buffer = null;
        listener = null;
        counters = null;
    }

    private FrameCapture(
        final String file,
        final RandomAccessFile opened,
        final ByteBuffer memory,
        final String topic,
        final ConsumerListener listener,
        final CounterWriter counters)
    {
        isOn = true;
        this.file = file;
        this.opened = opened;
        this.memory = memory;
        this.listener = listener;
        this.counters = counters;
        checkedView = memory.duplicate();
        buffer = new UnsafeBuffer(memory);
        writeHeader(topic.getBytes(StandardCharsets.UTF_8));
    }

    /**
     * Make the file, as large as it may become, so that the disk cannot be full later; {@link #end()} gives back what
     * was not needed.
     *
     * @param path       of the file, in a folder that is there; one that is there is replaced.
     * @param topic      that is read.
     * @param limitBytes of the file.
     * @param listener   to be told when it is full.
     * @param counters   of frames that were captured and were not.
     * @return the capture.
     * @throws UncheckedIOException if the file cannot be made; the message names it.
     */
    public static FrameCapture create(
        final Path path,
        final String topic,
        final int limitBytes,
        final ConsumerListener listener,
        final CounterWriter counters)
    {
        // Another consumer may still write to the file that is replaced: it keeps what it has mapped.
        final Path made = path.resolveSibling(path.getFileName() + "." + ProcessHandle.current().pid() + ".new");
        try
        {
            try
            {
                Files.deleteIfExists(made);
                final RandomAccessFile opened = new RandomAccessFile(made.toFile(), "rw");
                fill(opened, limitBytes);
                final FrameCapture capture = new FrameCapture(path.toString(), opened,
                    opened.getChannel().map(FileChannel.MapMode.READ_WRITE, 0, limitBytes), topic, listener, counters);
                Files.move(made, path, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
                return capture;
            }
            finally
            {
                Files.deleteIfExists(made);
            }
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException("captureFile " + path + " cannot be made: " + ex, ex);
        }
    }

    /**
     * Capture into memory.
     *
     * @param memory of zeros, direct.
     * @param topic  of the frames.
     * @return the capture.
     */
    public static FrameCapture into(final ByteBuffer memory, final String topic)
    {
        return new FrameCapture("memory", null, memory, topic, ConsumerListener.NONE, new CounterWriter());
    }

    /**
     * Write zeros, because a store into a mapped page for which the file system has no room ends the JVM, and a write
     * throws.
     */
    private static void fill(final RandomAccessFile opened, final int length) throws IOException
    {
        final byte[] zeros = new byte[Math.min(length, FILL_LENGTH)];
        for (int left = length; left > 0; left -= Math.min(left, zeros.length))
        {
            opened.write(zeros, 0, Math.min(left, zeros.length));
        }
    }

    private void writeHeader(final byte[] topic)
    {
        entryIndex = CaptureFileDescriptor.entriesIndex(topic.length);
        if (topic.length > CaptureFileDescriptor.MAX_TOPIC_LENGTH || entryIndex > buffer.capacity())
        {
            throw new IllegalArgumentException(
                "a capture of " + buffer.capacity() + " bytes has no room for its header");
        }
        buffer.putInt(CaptureFileDescriptor.VERSION_FIELD_OFFSET, CaptureFileDescriptor.VERSION, LITTLE_ENDIAN);
        buffer.putInt(CaptureFileDescriptor.TOPIC_LENGTH_FIELD_OFFSET, topic.length, LITTLE_ENDIAN);
        buffer.putBytes(CaptureFileDescriptor.TOPIC_OFFSET, topic);
        buffer.putLong(CaptureFileDescriptor.MAGIC_FIELD_OFFSET, CaptureFileDescriptor.MAGIC, LITTLE_ENDIAN);
    }

    public boolean isOn()
    {
        return isOn;
    }

    /**
     * Begin with a frame.
     *
     * @param nodeId       of the broker it came from.
     * @param version      of Fetch.
     * @param setCount     record sets in it that will be delivered, each to be named by {@link #set}.
     * @param length       of the frame in bytes, its size field among them.
     * @return false if there is no room; then nothing more is to be said of it.
     */
    public boolean begin(final int nodeId, final int version, final int setCount, final int length)
    {
        final long needed = CaptureFileDescriptor.entryLength(setCount, length);
        if (isFull || needed > buffer.capacity() - entryIndex)
        {
            onNoRoom();
            return false;
        }
        entryLength = (int)needed;
        frameLength = length;
        setIndex = entryIndex + CaptureFileDescriptor.SETS_OFFSET;
        final int index = entryIndex;
        buffer.putLong(
            index + CaptureFileDescriptor.TIME_FIELD_OFFSET, System.currentTimeMillis(), LITTLE_ENDIAN);
        buffer.putInt(index + CaptureFileDescriptor.NODE_ID_FIELD_OFFSET, nodeId, LITTLE_ENDIAN);
        buffer.putInt(index + CaptureFileDescriptor.FETCH_VERSION_FIELD_OFFSET, version, LITTLE_ENDIAN);
        buffer.putInt(index + CaptureFileDescriptor.SET_COUNT_FIELD_OFFSET, setCount, LITTLE_ENDIAN);
        buffer.putInt(index + CaptureFileDescriptor.FRAME_LENGTH_FIELD_OFFSET, length, LITTLE_ENDIAN);
        return true;
    }

    private void onNoRoom()
    {
        final int index = CaptureFileDescriptor.MISSED_FRAMES_FIELD_OFFSET;
        buffer.putLong(index, buffer.getLong(index, LITTLE_ENDIAN) + 1, LITTLE_ENDIAN);
        counters.add(ConsumerCounters.FRAMES_NOT_CAPTURED, 1);
        if (!isFull)
        {
            isFull = true;
            listener.onCaptureFull(file, frames, entryIndex);
        }
    }

    /**
     * The topic's id as the request had it, 0 and 0 for none.
     *
     * @param mostSignificantBits  of the id.
     * @param leastSignificantBits of the id.
     */
    public void topicId(final long mostSignificantBits, final long leastSignificantBits)
    {
        final int index = entryIndex + CaptureFileDescriptor.TOPIC_ID_FIELD_OFFSET;
        buffer.putLong(index, mostSignificantBits, LITTLE_ENDIAN);
        buffer.putLong(index + Long.BYTES, leastSignificantBits, LITTLE_ENDIAN);
    }

    /**
     * A record set that will be delivered, in the order of the frame.
     *
     * @param partition   its id.
     * @param fetchOffset that was asked for.
     */
    public void set(final int partition, final long fetchOffset)
    {
        buffer.putInt(setIndex, partition, LITTLE_ENDIAN);
        buffer.putLong(setIndex + CaptureFileDescriptor.SET_OFFSET_FIELD_OFFSET, fetchOffset, LITTLE_ENDIAN);
        setIndex += CaptureFileDescriptor.SET_LENGTH;
    }

    /**
     * Copy the frame that was begun.
     *
     * @param source that holds it.
     * @param index  of its first byte.
     */
    public void end(final DirectBuffer source, final int index)
    {
        assert setIndex + frameLength <= entryIndex + entryLength;

        buffer.putBytes(setIndex, source, index, frameLength);
        checkedView.limit(entryIndex + entryLength).position(entryIndex + CaptureFileDescriptor.CHECKED_OFFSET);
        checksum.reset();
        checksum.update(checkedView);
        buffer.putInt(
            entryIndex + CaptureFileDescriptor.CHECKSUM_FIELD_OFFSET, (int)checksum.getValue(), LITTLE_ENDIAN);
        buffer.putIntRelease(entryIndex + CaptureFileDescriptor.ENTRY_LENGTH_FIELD_OFFSET, littleEndian(entryLength));
        entryIndex += entryLength;
        frames++;
        counters.add(ConsumerCounters.FRAMES_CAPTURED, 1);
    }

    private static int littleEndian(final int value)
    {
        return ByteOrder.nativeOrder() == LITTLE_ENDIAN ? value : Integer.reverseBytes(value);
    }

    /**
     * No frame will follow: give back what of the file was not needed.
     */
    public void end()
    {
        if (opened != null)
        {
            BufferUtil.free(memory);
            try (opened)
            {
                opened.setLength(entryIndex);
            }
            catch (final IOException ignore)
            {
                // Zeros behind the last entry end it as well.
            }
        }
    }
}
