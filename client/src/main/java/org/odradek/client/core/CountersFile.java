// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.core;

import org.agrona.ErrorHandler;
import org.agrona.concurrent.AtomicBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.errors.DistinctErrorLog;
import org.agrona.concurrent.status.CountersManager;
import org.agrona.concurrent.status.CountersReader;
import org.odradek.client.ClientCounters;
import org.odradek.client.ClientKind;
import org.odradek.client.CountersFileReader;
import org.odradek.client.files.CountersFileDescriptor;
import org.odradek.client.files.Uninterrupted;
import org.odradek.client.files.WrittenFile;
import org.odradek.client.metrics.ListedCounter;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.UUID;

import static org.odradek.client.files.CountersFileDescriptor.END_FIELD_OFFSET;
import static org.odradek.client.files.CountersFileDescriptor.HEADER_LENGTH;
import static org.odradek.client.files.CountersFileDescriptor.HEARTBEAT_FIELD_OFFSET;

/**
 * Writes the counters and the distinct errors of a client to a mapped file, whose layout {@link CountersFileReader}
 * documents. The file stays mapped as long as an object refers to its memory, because reading a counter of an unmapped
 * file may end the JVM.
 */
public final class CountersFile
{
    /** The file has room for this many counters: those of a client and of more than 1,300 partitions. */
    private static final int COUNTERS = 4096;
    private static final int METADATA_LENGTH = COUNTERS * CountersReader.METADATA_LENGTH;
    private static final int VALUES_LENGTH = COUNTERS * CountersReader.COUNTER_LENGTH;
    private static final int ERROR_LOG_LENGTH = 256 * 1024;
    private static final int FILE_LENGTH = HEADER_LENGTH + METADATA_LENGTH + VALUES_LENGTH + ERROR_LOG_LENGTH;

    private final DutyClock clock;
    private final UnsafeBuffer buffer;
    private final CountersManager manager;
    private final CounterWriter counters;
    private final AtomicBuffer ofPublisher;
    private final DistinctErrorLog errorLog;
    private long nextHeartbeatNs;

    private CountersFile(final ByteBuffer mapped, final ClientKind kind, final String topic, final DutyClock clock)
    {
        this.clock = clock;
        buffer = new UnsafeBuffer(mapped);
        writeHeader(kind, topic);
        final UnsafeBuffer values = new UnsafeBuffer(buffer, HEADER_LENGTH + METADATA_LENGTH, VALUES_LENGTH);
        manager = new CountersManager(
            new UnsafeBuffer(buffer, HEADER_LENGTH, METADATA_LENGTH), values, StandardCharsets.UTF_8);
        for (int id = 0; id < ClientCounters.count(); id++)
        {
            allocate(ClientCounters.name(id), CountersFileReader.TOTAL_TYPE_ID, id);
        }
        counters = new CounterWriter(values);
        ofPublisher = kind == ClientKind.PUBLISHER ? allocateOfPublisher(values) : null;
        nextHeartbeatNs = clock.nowNs();
        errorLog = new DistinctErrorLog(
            new UnsafeBuffer(buffer, HEADER_LENGTH + METADATA_LENGTH + VALUES_LENGTH, ERROR_LOG_LENGTH),
            clock::epochMs, StandardCharsets.UTF_8);
    }

    /**
     * Creates the file, and replaces an older file at the same path.
     *
     * @param path  path of the file, in an existing folder.
     * @param topic name of the topic that a consumer reads; empty for a publisher.
     * @throws IllegalStateException if the client that writes the file at the path is running.
     * @throws UncheckedIOException  if the file cannot be created.
     */
    public static CountersFile create(
        final Path path,
        final String permissions,
        final ClientKind kind,
        final String topic,
        final DutyClock clock)
    {
        checkNotInUse(path);
        try
        {
            return Uninterrupted.run(() -> createAndMove(path, permissions, kind, topic, clock));
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException("countersFile " + path + " cannot be created: " + ex, ex);
        }
    }

    private static CountersFile createAndMove(
        final Path path,
        final String permissions,
        final ClientKind kind,
        final String topic,
        final DutyClock clock) throws IOException
    {
        // The file is written under another name and moved to its path when it is complete. So no reader ever sees an
        // incomplete file, and no mapped file is truncated. The other name cannot be guessed, so no other user can
        // place a link there.
        final Path created = path.resolveSibling(path.getFileName() + "." + UUID.randomUUID() + ".new");
        WrittenFile.check(path);
        try (FileChannel channel = WrittenFile.create(created, permissions))
        {
            WrittenFile.allocateBlocks(channel, FILE_LENGTH);
            final CountersFile file =
                new CountersFile(channel.map(FileChannel.MapMode.READ_WRITE, 0, FILE_LENGTH), kind, topic, clock);
            file.buffer.putIntVolatile(CountersFileDescriptor.VERSION_FIELD_OFFSET, CountersFileReader.VERSION);
            Files.move(created, path, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            return file;
        }
        finally
        {
            Files.deleteIfExists(created);
        }
    }

    public static void checkSettings(final Path path, final String permissions)
    {
        WrittenFile.checkPermissions("countersFilePermissions", permissions);
        if (path != null && path.getFileName() == null)
        {
            throw new IllegalArgumentException("countersFile is " + path + ": it must name a file");
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
            return;    // there is no counters file at the path
        }
        if (found.isRunning())
        {
            throw new IllegalStateException("countersFile " + path + " is in use by process " + found.pid() +
                " for a " + found.kind() + (found.kind() == ClientKind.CONSUMER ? " of topic " + found.topic() : "") +
                ": give each client a file of its own");
        }
    }

    private void writeHeader(final ClientKind kind, final String topic)
    {
        buffer.putLong(CountersFileDescriptor.MAGIC_FIELD_OFFSET, CountersFileReader.MAGIC);
        buffer.putInt(CountersFileDescriptor.METADATA_LENGTH_FIELD_OFFSET, METADATA_LENGTH);
        buffer.putInt(CountersFileDescriptor.VALUES_LENGTH_FIELD_OFFSET, VALUES_LENGTH);
        buffer.putInt(CountersFileDescriptor.ERROR_LOG_LENGTH_FIELD_OFFSET, ERROR_LOG_LENGTH);
        buffer.putLong(CountersFileDescriptor.PID_FIELD_OFFSET, ProcessHandle.current().pid());
        final long nowMs = clock.epochMs();
        buffer.putLong(CountersFileDescriptor.START_FIELD_OFFSET, nowMs);
        buffer.putLong(END_FIELD_OFFSET, nowMs);
        buffer.putInt(CountersFileDescriptor.KIND_FIELD_OFFSET, kind.code());
        buffer.putStringAscii(CountersFileDescriptor.TOPIC_FIELD_OFFSET, topic);
    }

    private AtomicBuffer allocateOfPublisher(final AtomicBuffer values)
    {
        final int count = ListedCounter.publisherCount();
        for (int i = 0; i < count; i++)
        {
            final int id = ListedCounter.FIRST_ID_OF_PUBLISHER + i;
            allocate(ListedCounter.ofPublisher(id).name(), CountersFileReader.PUBLISHER_TYPE_ID, id);
        }
        return new UnsafeBuffer(values,
            CountersReader.counterOffset(ClientCounters.count()), count * CountersReader.COUNTER_LENGTH);
    }

    private int allocate(final String label, final int typeId, final int key)
    {
        return manager.allocate(label, typeId, (keyBuffer) -> keyBuffer.putInt(0, key));
    }

    /**
     * Allocates counters with the same key and with successive ids.
     *
     * @param firstTypeId type id of the first counter; the others have the next type ids.
     * @return the counter id of the first; {@link CountersReader#NULL_COUNTER_ID} if there is no room for all of them.
     */
    public int allocate(final int key, final String[] labels, final int firstTypeId)
    {
        if (manager.available() < labels.length)
        {
            return CountersReader.NULL_COUNTER_ID;
        }
        final int id = allocate(labels[0], firstTypeId, key);
        for (int i = 1; i < labels.length; i++)
        {
            allocate(labels[i], firstTypeId + i, key);
        }
        return id;
    }

    /**
     * Allocates the counters of all workers, before the threads of the workers start.
     *
     * @return the memory of the counters, with all counters of the first worker first; null if there is no room for all
     *         workers.
     */
    public AtomicBuffer allocateOfWorkers(final int count)
    {
        final int length = count * ListedCounter.workerCount();
        if (manager.available() < length)
        {
            return null;
        }
        int lastId = CountersReader.NULL_COUNTER_ID;
        for (int i = 0; i < length; i++)
        {
            final int worker = i / ListedCounter.workerCount();
            final ListedCounter counter = ListedCounter.ofWorker(i % ListedCounter.workerCount());
            lastId = allocate(
                counter.name() + " of worker " + worker, CountersFileReader.WORKER_TYPE_ID + counter.id(), worker);
        }
        return new UnsafeBuffer(manager.valuesBuffer(),
            CountersReader.counterOffset(lastId + 1 - length), length * CountersReader.COUNTER_LENGTH);
    }

    /** Readers see the client as closed before this call. */
    public void begin()
    {
        buffer.putLongRelease(END_FIELD_OFFSET, 0);
    }

    public CounterWriter counters()
    {
        return counters;
    }

    /** Returns the memory of the counters that only a publisher has, in the order of their ids; null for a consumer. */
    public AtomicBuffer ofPublisher()
    {
        return ofPublisher;
    }

    /** Returns a reader of all counters, which any thread may use. */
    public CountersReader reader()
    {
        return manager;
    }

    public DistinctErrorLog errorLog()
    {
        return errorLog;
    }

    public ErrorHandler logged(final ErrorHandler next)
    {
        return (error) ->
        {
            if (!errorLog.record(error))
            {
                counters.add(ClientCounters.ERRORS_NOT_LOGGED, 1);
            }
            next.onError(error);
        };
    }

    public void end()
    {
        buffer.putLongRelease(END_FIELD_OFFSET, clock.epochMs());
    }

    /**
     * Writes the time of the client's last work to the file, at most once in {@link
     * CountersFileReader#HEARTBEAT_INTERVAL_NS}.
     */
    public void onWork(final long nowNs)
    {
        if (nextHeartbeatNs - nowNs <= 0)
        {
            nextHeartbeatNs = nowNs + CountersFileReader.HEARTBEAT_INTERVAL_NS;
            buffer.putLongRelease(HEARTBEAT_FIELD_OFFSET, clock.epochMs());
        }
    }
}
