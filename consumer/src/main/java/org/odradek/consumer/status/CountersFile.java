// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.status;

import org.agrona.concurrent.AtomicBuffer;
import org.agrona.concurrent.SystemEpochClock;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.errors.DistinctErrorLog;
import org.agrona.concurrent.status.CountersManager;
import org.agrona.concurrent.status.CountersReader;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

import static org.odradek.consumer.status.CountersFileDescriptor.BYTES_PER_COUNTER;
import static org.odradek.consumer.status.CountersFileDescriptor.END_FIELD_OFFSET;
import static org.odradek.consumer.status.CountersFileDescriptor.HEADER_LENGTH;
import static org.odradek.consumer.status.CountersFileDescriptor.HEARTBEAT_FIELD_OFFSET;

/**
 * The counters and the distinct errors of a consumer in a mapped file, for other processes to read while it runs and
 * after it ended, however it ended; {@link CountersFileReader} reads it. Laid out as Agrona's counters, so that its
 * tools read it too. Writing a counter there is the same store as into memory. Put it on a file system in memory, such
 * as /dev/shm: on a disk the kernel may hold up a store while it writes the page out.
 * <p>
 * Of the polling thread, but for what the values are read through. It stays mapped for as long as anything refers to
 * its memory, because a counter that is read after the mapping has gone would end the JVM.
 */
public final class CountersFile
{
    /**
     * Type ids of the counters: one for the whole consumer, then those of a partition.
     */
    public static final int TOTAL_TYPE_ID = 1;
    public static final int NEXT_OFFSET_TYPE_ID = 2;
    public static final int HIGH_WATERMARK_TYPE_ID = 3;
    public static final int LAG_TYPE_ID = 4;

    /**
     * Room for the counters of a consumer and of more than 1,300 partitions.
     */
    private static final int COUNTERS = 4096;
    private static final int ERROR_LOG_LENGTH = 256 * 1024;
    private static final int FILE_LENGTH = HEADER_LENGTH + COUNTERS * BYTES_PER_COUNTER + ERROR_LOG_LENGTH;

    private long nextHeartbeatNs;
    private final UnsafeBuffer buffer;
    private final CountersManager manager;
    private final ConsumerCounters counters;
    private final PartitionCounters partitionCounters;
    private final DistinctErrorLog errorLog;

    private CountersFile(final ByteBuffer mapped, final String topic, final long nowNs)
    {
        buffer = new UnsafeBuffer(mapped);
        nextHeartbeatNs = nowNs;
        writeHeader(topic);
        final AtomicBuffer values = CountersFileDescriptor.values(buffer);
        manager = new CountersManager(CountersFileDescriptor.metadata(buffer), values, StandardCharsets.UTF_8);
        for (int id = 0; id < ConsumerCounters.count(); id++)
        {
            final int totalId = id;
            manager.allocate(ConsumerCounters.name(id), TOTAL_TYPE_ID, (key) -> key.putInt(0, totalId));
        }
        counters = new ConsumerCounters(values);
        partitionCounters = new PartitionCounters(manager);
        errorLog = new DistinctErrorLog(
            CountersFileDescriptor.errorLog(buffer), SystemEpochClock.INSTANCE, StandardCharsets.UTF_8);
    }

    /**
     * Make the file. A reader of an older one at the same place keeps what it has mapped.
     *
     * @param path  of the file, in a folder that is there.
     * @param topic that is read.
     * @param nowNs time of the duty cycle.
     * @return the file.
     * @throws IllegalStateException if the file is in use by a process that runs.
     * @throws UncheckedIOException  if it cannot be made; the message names it.
     */
    public static CountersFile create(final Path path, final String topic, final long nowNs)
    {
        checkNotInUse(path);
        // Written apart and moved to its place when it is whole: there is never half a file to read, and never one that
        // is cut short under a reader's mapping.
        final Path made = path.resolveSibling(path.getFileName() + "." + ProcessHandle.current().pid() + ".new");
        try
        {
            try (FileChannel channel = FileChannel.open(made, StandardOpenOption.CREATE,
                StandardOpenOption.TRUNCATE_EXISTING, StandardOpenOption.READ, StandardOpenOption.WRITE))
            {
                fill(channel);
                final CountersFile file =
                    new CountersFile(channel.map(FileChannel.MapMode.READ_WRITE, 0, FILE_LENGTH), topic, nowNs);
                file.buffer.putIntVolatile(
                    CountersFileDescriptor.VERSION_FIELD_OFFSET, CountersFileDescriptor.VERSION);
                Files.move(made, path, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
                return file;
            }
            finally
            {
                Files.deleteIfExists(made);
            }
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException("countersFile " + path + " cannot be made: " + ex, ex);
        }
    }

    private static void checkNotInUse(final Path path)
    {
        final CountersFileReader found;
        try
        {
            found = CountersFileReader.open(path);
        }
        catch (final IllegalArgumentException ignore)
        {
            return;    // nothing there, or nothing of ours
        }
        if (found.isRunning())
        {
            throw new IllegalStateException("countersFile " + path + " is in use by process " + found.pid() +
                " for topic " + found.topic() + ": give each consumer a file of its own");
        }
    }

    /**
     * Write zeros, because a store into a mapped page for which the file system has no room ends the JVM, and a write
     * throws.
     */
    private static void fill(final FileChannel channel) throws IOException
    {
        final ByteBuffer zeros = ByteBuffer.allocate(HEADER_LENGTH + BYTES_PER_COUNTER * 128);
        for (long at = 0; at < FILE_LENGTH; )
        {
            zeros.clear().limit((int)Math.min(zeros.capacity(), FILE_LENGTH - at));
            at += channel.write(zeros, at);
        }
    }

    private void writeHeader(final String topic)
    {
        buffer.putLong(CountersFileDescriptor.MAGIC_FIELD_OFFSET, CountersFileDescriptor.MAGIC);
        buffer.putInt(CountersFileDescriptor.METADATA_LENGTH_FIELD_OFFSET, COUNTERS * CountersReader.METADATA_LENGTH);
        buffer.putInt(CountersFileDescriptor.VALUES_LENGTH_FIELD_OFFSET, COUNTERS * CountersReader.COUNTER_LENGTH);
        buffer.putInt(CountersFileDescriptor.ERROR_LOG_LENGTH_FIELD_OFFSET, ERROR_LOG_LENGTH);
        buffer.putLong(CountersFileDescriptor.PID_FIELD_OFFSET, ProcessHandle.current().pid());
        final long nowMs = System.currentTimeMillis();
        buffer.putLong(CountersFileDescriptor.START_FIELD_OFFSET, nowMs);
        buffer.putLong(END_FIELD_OFFSET, nowMs);
        buffer.putStringAscii(CountersFileDescriptor.TOPIC_FIELD_OFFSET, topic);
    }

    /**
     * Note that the consumer is there, as a whole: until then the file counts as that of a closed one.
     */
    public void begin()
    {
        buffer.putLongRelease(END_FIELD_OFFSET, 0);
    }

    /**
     * Note that the consumer is polled.
     *
     * @param nowNs time of the duty cycle.
     */
    public void onPoll(final long nowNs)
    {
        if (nextHeartbeatNs - nowNs <= 0)
        {
            nextHeartbeatNs = nowNs + CountersFileDescriptor.HEARTBEAT_INTERVAL_NS;
            buffer.putLongRelease(HEARTBEAT_FIELD_OFFSET, System.currentTimeMillis());
        }
    }

    public ConsumerCounters counters()
    {
        return counters;
    }

    public PartitionCounters partitionCounters()
    {
        return partitionCounters;
    }

    /**
     * All counters, to be read from any thread.
     */
    public CountersReader reader()
    {
        return manager;
    }

    /**
     * Where distinct errors are noted, each with how often and when it was seen first and last.
     */
    public DistinctErrorLog errorLog()
    {
        return errorLog;
    }

    /**
     * Note that the consumer was closed. The file stays.
     */
    public void end()
    {
        buffer.putLongRelease(END_FIELD_OFFSET, System.currentTimeMillis());
    }
}
