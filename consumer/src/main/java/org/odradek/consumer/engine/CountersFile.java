// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.engine;

import org.agrona.concurrent.AtomicBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.errors.DistinctErrorLog;
import org.agrona.concurrent.status.CountersManager;
import org.agrona.concurrent.status.CountersReader;
import org.odradek.consumer.core.CounterWriter;
import org.odradek.consumer.core.DutyClock;
import org.odradek.consumer.files.Uninterrupted;
import org.odradek.consumer.files.WrittenFile;
import org.odradek.consumer.handler.ConsumerCounters;
import org.odradek.consumer.handler.CountersFileReader;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.UUID;

import static org.odradek.consumer.handler.CountersFileReader.END_FIELD_OFFSET;
import static org.odradek.consumer.handler.CountersFileReader.HEADER_LENGTH;
import static org.odradek.consumer.handler.CountersFileReader.HEARTBEAT_FIELD_OFFSET;

/**
 * A mapped file with the counters and the distinct errors of a consumer. Other processes can read it while the consumer
 * runs and after it has ended, however it ended; {@link CountersFileReader} reads it and describes its layout. Writing
 * a counter to the file is the same store as writing it to memory. On a disk the kernel may delay a store while it
 * writes the page out, so the file should be on a file system in memory, such as /dev/shm.
 * <p>
 * Only the polling thread writes. The file stays mapped as long as anything refers to its memory, because reading a
 * counter after it was unmapped would end the JVM.
 */
public final class CountersFile
{
    /** Room for the counters of a consumer and of more than 1,300 partitions. */
    private static final int COUNTERS = 4096;
    private static final int METADATA_LENGTH = COUNTERS * CountersReader.METADATA_LENGTH;
    private static final int VALUES_LENGTH = COUNTERS * CountersReader.COUNTER_LENGTH;
    private static final int ERROR_LOG_LENGTH = 256 * 1024;
    private static final int FILE_LENGTH = HEADER_LENGTH + METADATA_LENGTH + VALUES_LENGTH + ERROR_LOG_LENGTH;
    private static final int COUNTERS_PER_PARTITION = 3;

    private final DutyClock clock;
    private final UnsafeBuffer buffer;
    private final CountersManager manager;
    private final CounterWriter counters;
    private final DistinctErrorLog errorLog;
    private final AtomicBuffer values;
    private long nextHeartbeatNs;
    /**
     * Id of the first counter of each partition; the other two follow it. It is 0, which is never a partition's, if the
     * partition has none yet.
     */
    private int[] ids = {};

    private CountersFile(final ByteBuffer mapped, final String topic, final DutyClock clock)
    {
        this.clock = clock;
        buffer = new UnsafeBuffer(mapped);
        writeHeader(topic);
        values = new UnsafeBuffer(buffer, HEADER_LENGTH + METADATA_LENGTH, VALUES_LENGTH);
        manager = new CountersManager(
            new UnsafeBuffer(buffer, HEADER_LENGTH, METADATA_LENGTH), values, StandardCharsets.UTF_8);
        for (int id = 0; id < ConsumerCounters.count(); id++)
        {
            allocate(ConsumerCounters.name(id), CountersFileReader.TOTAL_TYPE_ID, id);
        }
        counters = new CounterWriter(values);
        nextHeartbeatNs = clock.nowNs();
        errorLog = new DistinctErrorLog(
            new UnsafeBuffer(buffer, HEADER_LENGTH + METADATA_LENGTH + VALUES_LENGTH, ERROR_LOG_LENGTH),
            clock::epochMs, StandardCharsets.UTF_8);
    }

    /**
     * Create the file. Whoever reads an older file at the same path keeps reading that one.
     *
     * @param path        of the file, in a folder that exists.
     * @param permissions of the file.
     * @param topic       that the consumer reads.
     * @param clock       of the duty cycle.
     * @return the file.
     * @throws IllegalStateException if a running process uses the file.
     * @throws UncheckedIOException  if it cannot be created; the message names it.
     */
    public static CountersFile create(
        final Path path, final String permissions, final String topic, final DutyClock clock)
    {
        checkNotInUse(path);
        try
        {
            return Uninterrupted.run(() -> createAndMove(path, permissions, topic, clock));
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException("countersFile " + path + " cannot be created: " + ex, ex);
        }
    }

    private static CountersFile createAndMove(
        final Path path, final String permissions, final String topic, final DutyClock clock) throws IOException
    {
        // The file is written under another name and moved to its path when it is complete: no reader ever sees half a
        // file, or one that is truncated while it is mapped. The name cannot be guessed, so nobody can place a link
        // there.
        final Path created = path.resolveSibling(path.getFileName() + "." + UUID.randomUUID() + ".new");
        WrittenFile.check(path);
        try (FileChannel channel = WrittenFile.create(created, permissions))
        {
            OffsetFileAccess.allocateBlocks(channel, FILE_LENGTH);
            final CountersFile file =
                new CountersFile(channel.map(FileChannel.MapMode.READ_WRITE, 0, FILE_LENGTH), topic, clock);
            file.buffer.putIntVolatile(CountersFileReader.VERSION_FIELD_OFFSET, CountersFileReader.VERSION);
            Files.move(created, path, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            return file;
        }
        finally
        {
            Files.deleteIfExists(created);
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
            return;    // there is no file, or it is not a counters file
        }
        if (found.isRunning())
        {
            throw new IllegalStateException("countersFile " + path + " is in use by process " + found.pid() +
                " for topic " + found.topic() + ": give each consumer a file of its own");
        }
    }

    private void writeHeader(final String topic)
    {
        buffer.putLong(CountersFileReader.MAGIC_FIELD_OFFSET, CountersFileReader.MAGIC);
        buffer.putInt(CountersFileReader.METADATA_LENGTH_FIELD_OFFSET, METADATA_LENGTH);
        buffer.putInt(CountersFileReader.VALUES_LENGTH_FIELD_OFFSET, VALUES_LENGTH);
        buffer.putInt(CountersFileReader.ERROR_LOG_LENGTH_FIELD_OFFSET, ERROR_LOG_LENGTH);
        buffer.putLong(CountersFileReader.PID_FIELD_OFFSET, ProcessHandle.current().pid());
        final long nowMs = clock.epochMs();
        buffer.putLong(CountersFileReader.START_FIELD_OFFSET, nowMs);
        buffer.putLong(END_FIELD_OFFSET, nowMs);
        buffer.putStringAscii(CountersFileReader.TOPIC_FIELD_OFFSET, topic);
    }

    private int allocate(final String label, final int typeId, final int key)
    {
        return manager.allocate(label, typeId, (keyBuffer) -> keyBuffer.putInt(0, key));
    }

    /**
     * Record that the consumer has been created completely. Until then the file counts as that of a closed consumer.
     */
    public void begin()
    {
        buffer.putLongRelease(END_FIELD_OFFSET, 0);
    }

    public CounterWriter counters()
    {
        return counters;
    }

    /** @return the id of the first of a partition's counters, or less than 0 if there is no room for them. */
    private int allocatePartition(final int partition)
    {
        if (manager.available() < COUNTERS_PER_PARTITION)
        {
            return CountersReader.NULL_COUNTER_ID;
        }
        final int id = allocate(
            "next offset of partition " + partition, CountersFileReader.NEXT_OFFSET_TYPE_ID, partition);
        allocate("high watermark of partition " + partition, CountersFileReader.HIGH_WATERMARK_TYPE_ID, partition);
        allocate("lag of partition " + partition, CountersFileReader.LAG_TYPE_ID, partition);
        return id;
    }

    /** All counters, to be read from any thread. */
    public CountersReader reader()
    {
        return manager;
    }

    /** The log of distinct errors, each with the number of times it was seen, and when first and last. */
    public DistinctErrorLog errorLog()
    {
        return errorLog;
    }

    /** Record that the consumer was closed. The file stays. */
    public void end()
    {
        buffer.putLongRelease(END_FIELD_OFFSET, clock.epochMs());
    }

    /**
     * Record that the consumer is polled.
     *
     * @param nowNs time of the duty cycle.
     */
    public void onPoll(final long nowNs)
    {
        if (nextHeartbeatNs - nowNs <= 0)
        {
            nextHeartbeatNs = nowNs + CountersFileReader.HEARTBEAT_INTERVAL_NS;
            buffer.putLongRelease(HEARTBEAT_FIELD_OFFSET, clock.epochMs());
        }
    }

    /**
     * Write the three counters of a partition. The first call for a partition allocates them.
     *
     * @param partition     id.
     * @param nextOffset    to deliver, or -1.
     * @param highWatermark or -1.
     * @param lag           or -1.
     * @return false if there is no room for its counters.
     */
    public boolean set(final int partition, final long nextOffset, final long highWatermark, final long lag)
    {
        if (partition >= ids.length)
        {
            ids = Arrays.copyOf(ids, partition + 1);
        }
        if (ids[partition] == 0)
        {
            ids[partition] = allocatePartition(partition);
        }
        if (ids[partition] < 0)
        {
            return false;
        }
        final int index = CountersReader.counterOffset(ids[partition]);
        values.putLongRelease(index, nextOffset);
        values.putLongRelease(index + CountersReader.COUNTER_LENGTH, highWatermark);
        values.putLongRelease(index + 2 * CountersReader.COUNTER_LENGTH, lag);
        return true;
    }
}
