// SPDX-License-Identifier: Apache-2.0
package org.odradek.client;

import org.agrona.BitUtil;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.AtomicBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.status.CountersReader;
import org.odradek.client.files.RegularFile;
import org.odradek.client.files.Uninterrupted;
import org.odradek.protocol.PrintableText;
import org.odradek.protocol.WireLimits;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Optional;

import static org.odradek.client.files.CountersFileDescriptor.END_FIELD_OFFSET;
import static org.odradek.client.files.CountersFileDescriptor.ERROR_LOG_LENGTH_FIELD_OFFSET;
import static org.odradek.client.files.CountersFileDescriptor.HEADER_LENGTH;
import static org.odradek.client.files.CountersFileDescriptor.HEARTBEAT_FIELD_OFFSET;
import static org.odradek.client.files.CountersFileDescriptor.KIND_FIELD_OFFSET;
import static org.odradek.client.files.CountersFileDescriptor.MAGIC_FIELD_OFFSET;
import static org.odradek.client.files.CountersFileDescriptor.METADATA_LENGTH_FIELD_OFFSET;
import static org.odradek.client.files.CountersFileDescriptor.PID_FIELD_OFFSET;
import static org.odradek.client.files.CountersFileDescriptor.START_FIELD_OFFSET;
import static org.odradek.client.files.CountersFileDescriptor.TOPIC_FIELD_OFFSET;
import static org.odradek.client.files.CountersFileDescriptor.VALUES_LENGTH_FIELD_OFFSET;
import static org.odradek.client.files.CountersFileDescriptor.VERSION_FIELD_OFFSET;

/**
 * Reads the counters file of a consumer or a publisher. The reader may be in the same process as the client or in
 * another one, and can read while the client runs and after the client has ended. Any thread may use a reader.
 * <p>
 * Numbers in the file have the byte order of the machine. The file has this layout:
 * <pre>
 *     0  long  magic, "ODRADEKC" in ASCII
 *     8  int   version; written last, when the rest of the file is complete
 *    12  int   length of the counters' metadata
 *    16  int   length of the counters' values
 *    20  int   length of the error log
 *    24  long  id of the process
 *    32  long  when the client was created, in milliseconds since 1970
 *    40  long  when the client was closed; 0 while the client is open
 *    48  long  when the consumer was last polled or the publisher last worked, written at most
 *              once in {@link #HEARTBEAT_INTERVAL_NS}; 0 before
 *    56  int   {@link ClientKind#code()} of the client
 *    60  int   length of the topic's name, then the name in ASCII; 0 for a publisher
 *   512  metadata ({@link CountersReader#METADATA_LENGTH} bytes per counter),
 *        values ({@link CountersReader#COUNTER_LENGTH} bytes per counter), error log of Agrona's DistinctErrorLog
 * </pre>
 */
public final class CountersFileReader
{
    public static final long MAGIC = ByteBuffer.wrap(new byte[] {'O', 'D', 'R', 'A', 'D', 'E', 'K', 'C'}).getLong();
    public static final int VERSION = 2;

    public static final long HEARTBEAT_INTERVAL_NS = 100_000_000L;

    /**
     * The metric {@code odradek.up} is 0 for a client that has not worked for this many milliseconds, unless an option
     * sets another time.
     */
    public static final long MAX_POLL_AGE_MS_DEFAULT = 30_000;

    /**
     * The counters of {@link ClientCounters} and {@code ConsumerCounters} have this type id; their key is their id in
     * these classes.
     */
    public static final int TOTAL_TYPE_ID = 1;
    /**
     * The next offset of a partition has this type id. The key of the three counters of a partition is the partition's
     * id.
     */
    public static final int NEXT_OFFSET_TYPE_ID = 2;
    public static final int HIGH_WATERMARK_TYPE_ID = 3;
    public static final int LAG_TYPE_ID = 4;
    /** The counters that only a publisher has have this type id; their key is their id in {@code PublisherCounters}. */
    public static final int PUBLISHER_TYPE_ID = 5;
    /**
     * The type id of a worker's counter is this number plus the counter's id in {@code WorkerCounters}; its key is the
     * index of the worker.
     */
    public static final int WORKER_TYPE_ID = 100;

    /**
     * A partition's counter has this value while the value is not known, because the partition has not been fetched yet
     * or is not assigned.
     */
    public static final long NULL_VALUE = -1;

    private static final int MAX_TOPIC_LENGTH = 249;
    private static final int MAX_LENGTH = 4 << 20;

    private static final Duration START_TOLERANCE = Duration.ofSeconds(2);

    private final Path path;
    /** Identifies the file among all files that were at the path; null if the file system has no such key. */
    private final Object fileKey;
    private final UnsafeBuffer buffer;
    private final ClientKind kind;
    private final CountersReader counters;
    private final AtomicBuffer errorLog;

    private CountersFileReader(final Path path, final Object fileKey, final UnsafeBuffer buffer)
    {
        this.path = path;
        this.fileKey = fileKey;
        this.buffer = buffer;
        kind = kind(path, buffer);
        final int metadataLength = buffer.getInt(METADATA_LENGTH_FIELD_OFFSET);
        final int valuesLength = buffer.getInt(VALUES_LENGTH_FIELD_OFFSET);
        counters = new CountersReader(new UnsafeBuffer(buffer, HEADER_LENGTH, metadataLength),
            new UnsafeBuffer(buffer, HEADER_LENGTH + metadataLength, valuesLength), StandardCharsets.UTF_8);
        errorLog = new UnsafeBuffer(
            buffer, HEADER_LENGTH + metadataLength + valuesLength, buffer.getInt(ERROR_LOG_LENGTH_FIELD_OFFSET));
    }

    /**
     * Maps a counters file. The file stays mapped until the reader and the objects that it has returned are garbage
     * collected.
     *
     * @param path path of the file.
     * @return a reader of the file; its values change while the client runs.
     * @throws IllegalArgumentException if the file does not exist, cannot be read, is not a counters file, is broken,
     *                                  or has another version; the message names the file.
     */
    public static CountersFileReader open(final Path path)
    {
        final Object fileKey = fileKey(path);
        try
        {
            final UnsafeBuffer buffer = new UnsafeBuffer(Uninterrupted.run(() -> map(path)));
            check(path, buffer);
            return new CountersFileReader(path, fileKey, buffer);
        }
        catch (final NoSuchFileException ex)
        {
            throw new IllegalArgumentException(path + " does not exist", ex);
        }
        catch (final IOException ex)
        {
            throw new IllegalArgumentException(path + " cannot be read: " + ex, ex);
        }
    }

    private static ByteBuffer map(final Path path) throws IOException
    {
        try (FileChannel channel = RegularFile.open(path))
        {
            final long length = channel.size();
            if (!isPossibleLength(length))
            {
                throw new IllegalArgumentException(path + " is not a counters file: it has " + length + " bytes");
            }
            return channel.map(FileChannel.MapMode.READ_ONLY, 0, length);
        }
    }

    private static boolean isPossibleLength(final long length)
    {
        return length >= HEADER_LENGTH && length <= MAX_LENGTH;
    }

    /**
     * Returns true if there is a regular file that can be read, begins with {@link #MAGIC} and has a possible length.
     * The file may still be broken or of another version.
     */
    public static boolean isCountersFile(final Path path)
    {
        if (!Files.isRegularFile(path))
        {
            return false;
        }
        try
        {
            return Uninterrupted.run(() ->
            {
                try (FileChannel channel = RegularFile.open(path))
                {
                    final ByteBuffer magic = ByteBuffer.allocate(Long.BYTES).order(ByteOrder.nativeOrder());
                    return isPossibleLength(channel.size()) && channel.read(magic) == Long.BYTES &&
                        magic.getLong(0) == MAGIC;
                }
            });
        }
        catch (final IOException ex)
        {
            return false;
        }
    }

    private static Object fileKey(final Path path)
    {
        try
        {
            return Files.readAttributes(path, BasicFileAttributes.class).fileKey();
        }
        catch (final IOException ex)
        {
            return null;    // opening it reports why
        }
    }

    private static void check(final Path path, final UnsafeBuffer buffer)
    {
        if (buffer.getLong(MAGIC_FIELD_OFFSET) != MAGIC)
        {
            throw new IllegalArgumentException(path + " is not a counters file");
        }
        final int version = buffer.getIntVolatile(VERSION_FIELD_OFFSET);
        if (version != VERSION)
        {
            throw new IllegalArgumentException(path + " is a counters file of version " + version +
                ", but this reader needs version " + VERSION + ": use the tools of the release that wrote it");
        }
        final long metadata = buffer.getInt(METADATA_LENGTH_FIELD_OFFSET);
        final long values = buffer.getInt(VALUES_LENGTH_FIELD_OFFSET);
        final long errors = buffer.getInt(ERROR_LOG_LENGTH_FIELD_OFFSET);
        final int topic = buffer.getInt(TOPIC_FIELD_OFFSET);
        final long count = values / CountersReader.COUNTER_LENGTH;
        if (values < 0 || values % CountersReader.COUNTER_LENGTH != 0 || errors < 0 ||
            metadata != count * CountersReader.METADATA_LENGTH || count < ClientCounters.count() ||
            HEADER_LENGTH + metadata + values + errors != buffer.capacity() ||
            topic < 0 || topic > MAX_TOPIC_LENGTH)
        {
            throw new IllegalArgumentException(path + " is a broken counters file: it has " + buffer.capacity() +
                " bytes, but declares " + metadata + " bytes of metadata, " + values + " of values, " + errors +
                " of errors and " + topic + " of topic name");
        }
    }

    private static ClientKind kind(final Path path, final UnsafeBuffer buffer)
    {
        final int code = buffer.getInt(KIND_FIELD_OFFSET);
        final ClientKind kind = ClientKind.of(code);
        if (kind == null)
        {
            throw new IllegalArgumentException(path + " is the counters file of a client of kind " + code +
                ", which this reader does not know");
        }
        return kind;
    }

    /** Returns the path at which the file was opened. */
    public Path path()
    {
        return path;
    }

    /** Returns the kind of client that writes the file. */
    public ClientKind kind()
    {
        return kind;
    }

    /**
     * Returns true if the path no longer leads to this file, because another client has created a file there or the
     * file was deleted. To read the file that is at the path now, call {@link #open} again. On a file system without
     * file keys the result is always true.
     */
    public boolean isReplaced()
    {
        return fileKey == null || !fileKey.equals(fileKey(path));
    }

    /** Returns the name of the topic that the consumer reads, or an empty text for a publisher. */
    public String topic()
    {
        return text(buffer, TOPIC_FIELD_OFFSET, MAX_TOPIC_LENGTH);
    }

    /** Returns the id of the process that created the file. */
    public long pid()
    {
        return buffer.getLong(PID_FIELD_OFFSET);
    }

    /** Returns the time at which the client was created, in milliseconds since 1970. */
    public long startMs()
    {
        return buffer.getLong(START_FIELD_OFFSET);
    }

    /** Returns the time at which the client was closed, in milliseconds since 1970; 0 if it is not closed. */
    public long endMs()
    {
        return buffer.getLongVolatile(END_FIELD_OFFSET);
    }

    /**
     * Returns the time at which the consumer was last polled or the publisher last worked, in milliseconds since 1970,
     * to about 100 ms; 0 before the first poll or work.
     */
    public long lastPollMs()
    {
        return buffer.getLongVolatile(HEARTBEAT_FIELD_OFFSET);
    }

    /**
     * Returns the milliseconds since {@link #lastPollMs()} or, if that is 0, since the client was created; 0 or more.
     *
     * @param nowMs current time in milliseconds since 1970.
     */
    public long pollAgeMs(final long nowMs)
    {
        final long polledMs = lastPollMs();
        return Math.max(0, nowMs - (polledMs == 0 ? startMs() : polledMs));
    }

    /**
     * Returns true if the client is open and was created or has worked in the last {@code maxPollAgeMs} milliseconds.
     * Unlike {@link #isRunning()}, this method also works for a client in another container. The result for a killed
     * process becomes false {@code maxPollAgeMs} after the last work.
     *
     * @param nowMs        current time in milliseconds since 1970.
     * @param maxPollAgeMs time in milliseconds after which a client counts as hung, such as {@link
     *                     #MAX_POLL_AGE_MS_DEFAULT}.
     */
    public boolean isUp(final long nowMs, final long maxPollAgeMs)
    {
        return endMs() == 0 && pollAgeMs(nowMs) <= maxPollAgeMs;
    }

    /**
     * Returns true if the client is open, and the process with the id in the file is alive and did not start after the
     * client was created. For a client in another container, use {@link #isUp}.
     */
    public boolean isRunning()
    {
        final Optional<ProcessHandle> process = pid() <= 0 ? Optional.empty() : ProcessHandle.of(pid());
        if (endMs() != 0 || process.isEmpty() || !process.get().isAlive())
        {
            return false;
        }
        // A process with the same id that started after the file was created is another process, because a restarted
        // container assigns the same ids again.
        final Optional<Instant> start = process.get().info().startInstant();
        return start.isEmpty() || !start.get().isAfter(Instant.ofEpochMilli(startMs()).plus(START_TOLERANCE)) ||
            // The system counts the start of a process from its own start, so a clock that is set forward moves it.
            pid() != ProcessHandle.current().pid() && !start.get().isAfter(Instant.ofEpochMilli(lastPollMs()));
    }

    /**
     * Returns how many counters with ids of {@link ClientCounters} and {@code ConsumerCounters} the file has. The
     * number may differ from {@link ClientCounters#count()} if another release wrote the file.
     */
    public int totalCount()
    {
        int count = 0;
        while (count <= counters.maxCounterId() && isTotal(count))
        {
            count++;
        }
        return count;
    }

    private boolean isTotal(final int id)
    {
        return counters.getCounterState(id) == CountersReader.RECORD_ALLOCATED &&
            counters.getCounterTypeId(id) == TOTAL_TYPE_ID;
    }

    /**
     * Returns the name of a counter, such as "bytes received".
     *
     * @param id id in {@link ClientCounters} or {@code ConsumerCounters}, from 0 to {@link #totalCount()} - 1.
     */
    public String totalName(final int id)
    {
        return text(counters.metaDataBuffer(), CountersReader.metaDataOffset(id) + CountersReader.LABEL_OFFSET,
            CountersReader.MAX_LABEL_LENGTH);
    }

    /**
     * Reads a text of at most {@code maxLength} bytes, because another process may change the length in the file at any
     * time.
     */
    private static String text(final DirectBuffer buffer, final int index, final int maxLength)
    {
        final int length = Math.max(0, Math.min(maxLength, buffer.getInt(index)));
        return PrintableText.of(buffer.getStringWithoutLengthUtf8(index + BitUtil.SIZE_OF_INT, length));
    }

    /**
     * @param id one of the constants of {@link ClientCounters} or {@code ConsumerCounters}.
     * @return the current value of the counter; 0 if the file has no counter with this id.
     */
    public long total(final int id)
    {
        return isTotal(id) ? counters.getCounterValue(id) : 0;
    }

    /**
     * Returns the values of the counters that only a publisher has.
     *
     * @return a new array with the values by the ids of {@code PublisherCounters}; {@link #NULL_VALUE} at ids that the
     *         file has no counter for, such as those of counters that every client has. The array is empty for a
     *         consumer.
     */
    public long[] publisherTotals()
    {
        return partitionValues(PUBLISHER_TYPE_ID);
    }

    /**
     * Returns the values of one counter for all workers of the consumer.
     *
     * @param id one of the constants of {@code WorkerCounters}.
     * @return a new array with the values by the index of the worker, which is empty if the consumer has no workers;
     *         {@link #NULL_VALUE} for workers without this counter.
     */
    public long[] workerValues(final int id)
    {
        return partitionValues(WORKER_TYPE_ID + id);
    }

    /**
     * Returns the values of the counters with a type id, one value for each partition. Partitions are added while the
     * consumer runs, so two calls with different types may return arrays of different lengths.
     *
     * @param typeId {@link #NEXT_OFFSET_TYPE_ID}, {@link #HIGH_WATERMARK_TYPE_ID} or {@link #LAG_TYPE_ID}.
     * @return a new array with the values by partition id; {@link #NULL_VALUE} for partitions without a known value.
     */
    public long[] partitionValues(final int typeId)
    {
        return partitionValues(counters, typeId);
    }

    /**
     * Returns the same as {@link #partitionValues(int)}, for counters that are mapped already.
     *
     * @param counters counters of a counters file.
     * @param typeId   {@link #NEXT_OFFSET_TYPE_ID}, {@link #HIGH_WATERMARK_TYPE_ID} or {@link #LAG_TYPE_ID}.
     * @return a new array with the values by partition id; {@link #NULL_VALUE} for partitions without a known value.
     */
    public static long[] partitionValues(final CountersReader counters, final int typeId)
    {
        final int count = counters.maxCounterId() + 1;
        long[] values = {};
        int length = 0;
        for (int id = 0; id < count; id++)
        {
            final int state = counters.getCounterState(id);
            if (state == CountersReader.RECORD_UNUSED)
            {
                break;
            }
            if (state == CountersReader.RECORD_ALLOCATED && counters.getCounterTypeId(id) == typeId)
            {
                final int partition = counters.metaDataBuffer().getInt(
                    CountersReader.metaDataOffset(id) + CountersReader.KEY_OFFSET);
                if (partition >= 0 && partition < WireLimits.MAX_PARTITIONS)
                {
                    if (partition >= values.length)
                    {
                        final int filled = values.length;
                        values = Arrays.copyOf(values, Math.max(partition + 1, 2 * filled));
                        Arrays.fill(values, filled, values.length, NULL_VALUE);
                    }
                    length = Math.max(length, partition + 1);
                    values[partition] = counters.getCounterValue(id);
                }
            }
        }
        return length == values.length ? values : Arrays.copyOf(values, length);
    }

    /**
     * Returns all counters of the file. Each counter has a type id, a key (an int) and a label. The object is valid
     * while this reader is reachable.
     */
    public CountersReader counters()
    {
        return counters;
    }

    /**
     * Returns the memory of the distinct errors, which Agrona's ErrorLogReader can read. The memory is valid while this
     * reader is reachable.
     */
    public AtomicBuffer errorLog()
    {
        return errorLog;
    }
}
