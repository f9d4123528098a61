// SPDX-License-Identifier: Apache-2.0
package org.odradek.replay;

import org.agrona.BufferUtil;
import org.agrona.CloseHelper;
import org.agrona.concurrent.EpochClock;
import org.agrona.concurrent.SystemEpochClock;
import org.agrona.concurrent.UnsafeBuffer;
import org.odradek.client.files.Uninterrupted;
import org.odradek.client.files.WrittenFile;
import org.odradek.consumer.ConsumerConfiguration;
import org.odradek.consumer.handler.ConsumerListener;
import org.odradek.consumer.handler.FetchFrameHandler;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.UUID;
import java.util.zip.CRC32C;

import static java.nio.ByteOrder.LITTLE_ENDIAN;

/**
 * Writes the fetch responses of one consumer into a mapped file without allocating. The file of a killed process
 * contains only complete frames. The first frame that does not fit ends the capture: this frame and all later frames
 * are counted as missed, and {@link ConsumerListener#onCaptureFull} is called once.
 */
public final class FrameCapture implements FetchFrameHandler
{
    /** The default length of a capture file in bytes. */
    public static final int LIMIT_BYTES_DEFAULT = 256 << 20;

    private static final int MIN_LIMIT_BYTES = 64 << 10;
    private static final int FILL_LENGTH = 1 << 20;

    private final Path path;
    private final int limitBytes;
    private final CRC32C checksum = new CRC32C();
    private FileChannel channel;
    private ByteBuffer memory;
    private ByteBuffer checkedView;
    private UnsafeBuffer buffer;
    private EpochClock clock;
    private ConsumerListener listener;
    private int entryIndex;
    /** The number of refused consumers that have not closed this capture yet. */
    private int refusals;
    private long frames;
    private boolean isFull;
    /** True after the file was unmapped. */
    private boolean isClosed;

    /**
     * Creates a capture with a file of {@link #LIMIT_BYTES_DEFAULT} bytes.
     *
     * @param path as for {@link #FrameCapture(Path, int)}.
     */
    public FrameCapture(final Path path)
    {
        this(path, LIMIT_BYTES_DEFAULT);
    }

    /**
     * Creates a capture. Its file is created when the consumer connects.
     *
     * @param path       the path of the file, in an existing folder. An existing file is replaced. Only the owner of
     *                   the file may read it, unless {@link ConsumerConfiguration#FILE_PERMISSIONS_PROP_NAME} is set.
     * @param limitBytes the size of the file in bytes, 65,536 or more. The whole file is written at the start, and its
     *                   unused part is released when the consumer closes.
     * @throws IllegalArgumentException if the path names no file, or the limit is too small.
     */
    public FrameCapture(final Path path, final int limitBytes)
    {
        if (path.getFileName() == null)
        {
            throw new IllegalArgumentException("the capture file is " + path + ": it must name a file");
        }
        if (limitBytes < MIN_LIMIT_BYTES)
        {
            throw new IllegalArgumentException(
                "the capture file is limited to " + limitBytes + " bytes: it must be " + MIN_LIMIT_BYTES + " or more");
        }
        this.path = path;
        this.limitBytes = limitBytes;
    }

    FrameCapture(final ByteBuffer memory, final String topic)
    {
        path = null;
        limitBytes = memory.capacity();
        begin(memory, topic, SystemEpochClock.INSTANCE, ConsumerListener.NONE);
    }

    @Override
    public void onConnect(final String topic, final EpochClock epochClock, final ConsumerListener consumerListener)
    {
        if (memory != null)
        {
            refusals++;
            throw new IllegalStateException("the capture to " + path + " already has a consumer: make one for each");
        }
        try
        {
            WrittenFile.check(path);
            Uninterrupted.run(() -> create(topic, epochClock, consumerListener));
        }
        catch (final IOException ex)
        {
            close();
            throw new UncheckedIOException("the capture file " + path + " cannot be made: " + ex, ex);
        }
    }

    private Path create(final String topic, final EpochClock epochClock, final ConsumerListener consumerListener)
        throws IOException
    {
        // Another consumer may still write to the replaced file, whose mapping stays valid. The name of the unfinished
        // file cannot be predicted and must be new, so no other user can make this process write to another file.
        final Path unfinished = path.resolveSibling(path.getFileName() + "." + UUID.randomUUID() + ".new");
        channel = WrittenFile.create(unfinished, WrittenFile.defaultPermissions());
        try
        {
            fill();
            begin(channel.map(FileChannel.MapMode.READ_WRITE, 0, limitBytes), topic, epochClock, consumerListener);
            return Files.move(unfinished, path, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        }
        finally
        {
            Files.deleteIfExists(unfinished);
        }
    }

    /** Fills the file with zeros, so that a file system without room causes an IOException. */
    private void fill() throws IOException
    {
        final ByteBuffer zeros = ByteBuffer.allocate(Math.min(limitBytes, FILL_LENGTH));
        for (int left = limitBytes; left > 0;)
        {
            left -= channel.write(zeros.clear().limit(Math.min(left, zeros.capacity())));
        }
    }

    private void begin(
        final ByteBuffer zeros,
        final String topicName,
        final EpochClock epochClock,
        final ConsumerListener consumerListener)
    {
        memory = zeros;
        checkedView = zeros.duplicate();
        buffer = new UnsafeBuffer(zeros);
        clock = epochClock;
        listener = consumerListener;
        final byte[] topic = topicName.getBytes(StandardCharsets.UTF_8);
        entryIndex = CaptureFileDescriptor.entriesIndex(topic.length);
        buffer.putInt(CaptureFileDescriptor.VERSION_FIELD_OFFSET, CaptureFileDescriptor.VERSION, LITTLE_ENDIAN);
        buffer.putInt(CaptureFileDescriptor.TOPIC_LENGTH_FIELD_OFFSET, topic.length, LITTLE_ENDIAN);
        buffer.putBytes(CaptureFileDescriptor.TOPIC_OFFSET, topic);
        buffer.putLong(CaptureFileDescriptor.MAGIC_FIELD_OFFSET, CaptureFileDescriptor.MAGIC, LITTLE_ENDIAN);
    }

    @Override
    public boolean onFrame(final Frame frame)
    {
        if (isClosed)
        {
            return false;
        }
        final long entryLength = CaptureFileDescriptor.entryLength(frame.partitionCount(), frame.length());
        if (isFull || entryLength > limitBytes - entryIndex)
        {
            onNoRoom();
            return false;
        }
        write(frame, entryIndex, (int)entryLength);
        entryIndex += (int)entryLength;
        frames++;
        return true;
    }

    private void write(final Frame frame, final int index, final int entryLength)
    {
        buffer.putLong(index + CaptureFileDescriptor.TIME_FIELD_OFFSET, clock.time(), LITTLE_ENDIAN);
        final int topicIdIndex = index + CaptureFileDescriptor.TOPIC_ID_FIELD_OFFSET;
        buffer.putLong(topicIdIndex, frame.topicIdMostSignificantBits(), LITTLE_ENDIAN);
        buffer.putLong(topicIdIndex + Long.BYTES, frame.topicIdLeastSignificantBits(), LITTLE_ENDIAN);
        buffer.putInt(index + CaptureFileDescriptor.NODE_ID_FIELD_OFFSET, frame.nodeId(), LITTLE_ENDIAN);
        buffer.putInt(index + CaptureFileDescriptor.FETCH_VERSION_FIELD_OFFSET, frame.fetchVersion(), LITTLE_ENDIAN);
        buffer.putInt(index + CaptureFileDescriptor.FRAME_LENGTH_FIELD_OFFSET, frame.length(), LITTLE_ENDIAN);
        buffer.putInt(index + CaptureFileDescriptor.SET_COUNT_FIELD_OFFSET, frame.partitionCount(), LITTLE_ENDIAN);
        int setIndex = index + CaptureFileDescriptor.SETS_OFFSET;
        for (int i = 0; i < frame.partitionCount(); i++)
        {
            buffer.putInt(setIndex, frame.partition(i), LITTLE_ENDIAN);
            buffer.putLong(
                setIndex + CaptureFileDescriptor.SET_OFFSET_FIELD_OFFSET, frame.requestedOffset(i), LITTLE_ENDIAN);
            setIndex += CaptureFileDescriptor.SET_LENGTH;
        }
        buffer.putBytes(setIndex, frame.buffer(), frame.index(), frame.length());
        checkedView.limit(index + entryLength).position(index + CaptureFileDescriptor.CHECKED_OFFSET);
        checksum.reset();
        checksum.update(checkedView);
        buffer.putInt(
            index + CaptureFileDescriptor.CHECKSUM_FIELD_OFFSET, (int)checksum.getValue(), LITTLE_ENDIAN);
        buffer.putIntRelease(index + CaptureFileDescriptor.ENTRY_LENGTH_FIELD_OFFSET,
            ByteOrder.nativeOrder() == LITTLE_ENDIAN ? entryLength : Integer.reverseBytes(entryLength));
    }

    private void onNoRoom()
    {
        final int index = CaptureFileDescriptor.MISSED_FRAMES_FIELD_OFFSET;
        buffer.putLong(index, buffer.getLong(index, LITTLE_ENDIAN) + 1, LITTLE_ENDIAN);
        if (!isFull)
        {
            isFull = true;
            listener.onCaptureFull(path, frames, entryIndex);
        }
    }

    @Override
    public void close()
    {
        if (refusals > 0)
        {
            // A consumer that fails to connect also closes its handler. The first consumer still writes to the file.
            refusals--;
            return;
        }
        if (channel == null || !channel.isOpen())
        {
            return;
        }
        // If an interrupted thread uses a channel, the channel closes itself without doing anything.
        final boolean isInterrupted = Thread.interrupted();
        if (buffer != null)
        {
            isClosed = true;
            BufferUtil.free(memory);
            try
            {
                channel.truncate(entryIndex);
            }
            catch (final IOException ignore)
            {
                // The file stays readable, because zeros after the last entry also mark its end.
            }
        }
        CloseHelper.quietClose(channel);
        if (isInterrupted)
        {
            Thread.currentThread().interrupt();
        }
    }

    /** Returns the path of the file. */
    @Override
    public String toString()
    {
        return String.valueOf(path);
    }
}
