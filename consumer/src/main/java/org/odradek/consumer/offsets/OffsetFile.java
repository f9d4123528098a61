// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.offsets;

import org.agrona.IoUtil;
import org.agrona.concurrent.UnsafeBuffer;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;

/**
 * Keeps the next offset of each partition of one topic in a mapped file. A store is a few writes to memory and
 * allocates nothing; it may be made with every record.
 * <p>
 * <b>What survives.</b> As soon as {@link #store} has returned, the offset survives the end of the process, however it
 * ends ({@code kill -9} included): the memory is the operating system's. A store that was cut short is found out and
 * the one before it holds. What survives the end of the machine (power, kernel) is what the operating system has
 * written to the disk by then, or {@link #force()} has: possibly an older offset, never a false one.
 * <p>
 * Offsets count for one topic as long as it lives: if a topic is deleted and made anew, remove the file. One process
 * writes a file at a time, which a lock on it ensures; one thread at a time may use an instance.
 */
public final class OffsetFile implements AutoCloseable
{
    public static final long NULL_OFFSET = -1;
    public static final int NULL_EPOCH = -1;

    private static final int MAX_PARTITIONS = 1_000_000;

    private final Path path;
    private final String topic;
    private final FileChannel channel;
    private final FileLock lock;
    private final OffsetSlots slots = new OffsetSlots();
    private final UnsafeBuffer buffer = new UnsafeBuffer(0, 0);
    private MappedByteBuffer mapped;
    private long[] sequences = {};
    private long[] nextOffsets = {};
    private int[] leaderEpochs = {};

    private OffsetFile(final Path path, final String topic, final FileChannel channel, final FileLock lock)
    {
        this.path = path;
        this.topic = topic;
        this.channel = channel;
        this.lock = lock;
    }

    /**
     * Open a file, or make it.
     *
     * @param path           of the file; its folder must be there.
     * @param topic          whose offsets it holds.
     * @param partitionCount room to be made at least; a file grows by itself when a partition beyond is stored.
     * @return the file.
     * @throws IllegalStateException if it is another kind of file, another topic's, or being written by another.
     * @throws UncheckedIOException  if it cannot be read and written.
     */
    public static OffsetFile map(final Path path, final String topic, final int partitionCount)
    {
        OffsetFileHeader.checkTopic(topic);
        FileChannel channel = null;
        try
        {
            channel = FileChannel.open(
                path, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
            final OffsetFile file = new OffsetFile(path, topic, channel, lock(path, channel));
            file.open(partitionCount);
            return file;
        }
        catch (final IOException ex)
        {
            close(channel);
            throw new UncheckedIOException("Offset file " + path + " cannot be mapped: " + ex, ex);
        }
        catch (final RuntimeException ex)
        {
            close(channel);
            throw ex;
        }
    }

    private static FileLock lock(final Path path, final FileChannel channel) throws IOException
    {
        FileLock lock = null;
        try
        {
            lock = channel.tryLock();
        }
        catch (final OverlappingFileLockException ignore)
        {
            // It is this process itself that holds it.
        }
        if (lock == null)
        {
            throw new IllegalStateException("Offset file " + path + " is being written by another OffsetFile, of " +
                "this process or another: one at a time can.");
        }
        return lock;
    }

    private static void close(final FileChannel channel)
    {
        try
        {
            if (channel != null)
            {
                channel.close();
            }
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
    }

    private void open(final int partitionCount) throws IOException
    {
        if (channel.size() == 0)
        {
            OffsetFileHeader.write(channel, topic);
        }
        else
        {
            OffsetFileHeader.check(channel, path, topic);
        }
        final long stored = (channel.size() - OffsetFileHeader.LENGTH) / OffsetSlots.ENTRY_LENGTH;
        mapFor((int) Math.min(Math.max(stored, partitionCount), MAX_PARTITIONS));
        for (int p = 0; p < nextOffsets.length; p++)
        {
            if (slots.read(buffer, indexOf(p), p))
            {
                sequences[p] = slots.sequence();
                nextOffsets[p] = slots.nextOffset();
                leaderEpochs[p] = slots.leaderEpoch();
            }
        }
    }

    /**
     * A longer file is one with zeros behind, which are slots that have never been written.
     */
    private void mapFor(final int count) throws IOException
    {
        final int length = OffsetFileHeader.LENGTH + count * OffsetSlots.ENTRY_LENGTH;
        final MappedByteBuffer longer = channel.map(FileChannel.MapMode.READ_WRITE, 0, length);
        unmap();
        mapped = longer;
        buffer.wrap(longer);
        final int before = nextOffsets.length;
        sequences = Arrays.copyOf(sequences, count);
        nextOffsets = Arrays.copyOf(nextOffsets, count);
        leaderEpochs = Arrays.copyOf(leaderEpochs, count);
        Arrays.fill(nextOffsets, before, count, NULL_OFFSET);
        Arrays.fill(leaderEpochs, before, count, NULL_EPOCH);
    }

    private static int indexOf(final int partition)
    {
        return OffsetFileHeader.LENGTH + partition * OffsetSlots.ENTRY_LENGTH;
    }

    /**
     * As {@link #store(int, long, int)}, without an epoch.
     *
     * @param partition  any; the file grows if it is beyond those it has room for.
     * @param nextOffset of the next record wanted, 0 or more.
     */
    public void store(final int partition, final long nextOffset)
    {
        store(partition, nextOffset, NULL_EPOCH);
    }

    /**
     * Store where to go on with a partition. Storing what is stored already does nothing.
     *
     * @param partition   any; the file grows if it is beyond those it has room for.
     * @param nextOffset  of the next record wanted, 0 or more.
     * @param leaderEpoch of the last record read, or {@link #NULL_EPOCH}.
     */
    public void store(final int partition, final long nextOffset, final int leaderEpoch)
    {
        if (partition < 0 || partition >= nextOffsets.length || nextOffset < 0 || mapped == null)
        {
            prepare(partition, nextOffset);
        }
        if (nextOffsets[partition] != nextOffset || leaderEpochs[partition] != leaderEpoch)
        {
            final long sequence = sequences[partition] + 1;
            slots.store(buffer, indexOf(partition), partition, sequence, nextOffset, leaderEpoch);
            sequences[partition] = sequence;
            nextOffsets[partition] = nextOffset;
            leaderEpochs[partition] = leaderEpoch;
        }
    }

    private void prepare(final int partition, final long nextOffset)
    {
        checkOpen();
        if (partition < 0 || partition >= MAX_PARTITIONS)
        {
            throw new IllegalArgumentException(
                "partition is " + partition + ": it must be from 0 to " + (MAX_PARTITIONS - 1));
        }
        if (nextOffset < 0)
        {
            throw new IllegalArgumentException("offset " + nextOffset + " is negative: an offset is 0 or more");
        }
        if (partition >= nextOffsets.length)
        {
            try
            {
                mapFor(partition + 1);
            }
            catch (final IOException ex)
            {
                throw new UncheckedIOException("Offset file " + path + " cannot grow: " + ex, ex);
            }
        }
    }

    private void checkOpen()
    {
        if (mapped == null)
        {
            throw new IllegalStateException("offset file " + path + " is closed");
        }
    }

    /**
     * Where to go on with a partition.
     *
     * @param partition any.
     * @return the offset stored last, or {@link #NULL_OFFSET} if none is.
     */
    public long offset(final int partition)
    {
        return partition >= 0 && partition < nextOffsets.length ? nextOffsets[partition] : NULL_OFFSET;
    }

    /**
     * What was stored with the offset.
     *
     * @param partition any.
     * @return the epoch, or {@link #NULL_EPOCH} if none was.
     */
    public int leaderEpoch(final int partition)
    {
        return partition >= 0 && partition < leaderEpochs.length ? leaderEpochs[partition] : NULL_EPOCH;
    }

    /**
     * Partitions that the file has room for now.
     */
    public int partitionCount()
    {
        return nextOffsets.length;
    }

    public String topic()
    {
        return topic;
    }

    public Path path()
    {
        return path;
    }

    /**
     * Have everything stored so far written to the disk, so that it survives the end of the machine. Waits for the
     * disk: milliseconds, at times many. Not needed for the end of the process.
     */
    public void force()
    {
        checkOpen();
        mapped.force();
    }

    /**
     * Give the file back; what is stored stays. Closing twice does nothing.
     */
    @Override
    public void close()
    {
        if (mapped != null)
        {
            unmap();
            try
            {
                lock.release();
            }
            catch (final IOException ex)
            {
                throw new UncheckedIOException(ex);
            }
            finally
            {
                close(channel);
            }
        }
    }

    private void unmap()
    {
        if (mapped != null)
        {
            buffer.wrap(0, 0);
            IoUtil.unmap(mapped);
            mapped = null;
        }
    }

    @Override
    public String toString()
    {
        final StringBuilder text = new StringBuilder("offset file ").append(path).append(" of topic ").append(topic);
        for (int p = 0; p < nextOffsets.length; p++)
        {
            if (nextOffsets[p] != NULL_OFFSET)
            {
                text.append(", ").append(p).append(": ").append(nextOffsets[p]);
            }
        }
        return text.toString();
    }
}
