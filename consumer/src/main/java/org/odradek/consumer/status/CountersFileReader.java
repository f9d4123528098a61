// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.status;

import org.agrona.concurrent.AtomicBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.status.CountersReader;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;

import static org.odradek.consumer.status.CountersFileDescriptor.BYTES_PER_COUNTER;
import static org.odradek.consumer.status.CountersFileDescriptor.HEADER_LENGTH;

/**
 * Reads the {@link CountersFile} of a consumer, from the same process or another one, while it runs or after it has
 * ended. What it reads costs the consumer nothing. It may be used from any thread.
 */
public final class CountersFileReader
{
    /**
     * A value that is not known: of a partition that has not been fetched, or is not read.
     */
    public static final long NULL_VALUE = -1;

    private static final int MAX_TOPIC_LENGTH = 249;
    private static final int MAX_PARTITIONS = 1_000_000;

    private final Path path;
    private final UnsafeBuffer buffer;
    private final CountersReader counters;

    private CountersFileReader(final Path path, final UnsafeBuffer buffer)
    {
        this.path = path;
        this.buffer = buffer;
        counters = new CountersReader(
            CountersFileDescriptor.metadata(buffer), CountersFileDescriptor.values(buffer), StandardCharsets.UTF_8);
    }

    /**
     * Map a file.
     *
     * @param path of the file.
     * @return what it holds, live while its consumer runs.
     * @throws IllegalArgumentException in one sentence, if it is not there, no such file, or of another version.
     */
    public static CountersFileReader open(final Path path)
    {
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ))
        {
            final long length = channel.size();
            if (length < HEADER_LENGTH || length > Integer.MAX_VALUE)
            {
                throw new IllegalArgumentException(path + " is no counters file of a consumer: it has " + length +
                    " bytes");
            }
            final UnsafeBuffer buffer = new UnsafeBuffer(channel.map(FileChannel.MapMode.READ_ONLY, 0, length));
            check(path, buffer);
            return new CountersFileReader(path, buffer);
        }
        catch (final NoSuchFileException ex)
        {
            throw new IllegalArgumentException(path + " is not there", ex);
        }
        catch (final IOException ex)
        {
            throw new IllegalArgumentException(path + " cannot be read: " + ex, ex);
        }
    }

    private static void check(final Path path, final UnsafeBuffer buffer)
    {
        if (buffer.getLong(CountersFileDescriptor.MAGIC_FIELD_OFFSET) != CountersFileDescriptor.MAGIC)
        {
            throw new IllegalArgumentException(path + " is no counters file of a consumer");
        }
        final int version = buffer.getIntVolatile(CountersFileDescriptor.VERSION_FIELD_OFFSET);
        if (version != CountersFileDescriptor.VERSION)
        {
            throw new IllegalArgumentException(path + " is a counters file of version " + version +
                ", and this reads version " + CountersFileDescriptor.VERSION +
                ": use the tools of the release that wrote it");
        }
        final long metadata = buffer.getInt(CountersFileDescriptor.METADATA_LENGTH_FIELD_OFFSET);
        final long values = buffer.getInt(CountersFileDescriptor.VALUES_LENGTH_FIELD_OFFSET);
        final long errors = buffer.getInt(CountersFileDescriptor.ERROR_LOG_LENGTH_FIELD_OFFSET);
        final int topic = buffer.getInt(CountersFileDescriptor.TOPIC_FIELD_OFFSET);
        if (values < 0 || values % CountersReader.COUNTER_LENGTH != 0 || errors < 0 ||
            metadata + values != values / CountersReader.COUNTER_LENGTH * BYTES_PER_COUNTER ||
            values / CountersReader.COUNTER_LENGTH < ConsumerCounters.count() || metadata < 0 ||
            HEADER_LENGTH + metadata + values + errors != buffer.capacity() ||
            topic < 0 || topic > MAX_TOPIC_LENGTH)
        {
            throw new IllegalArgumentException(path + " is a broken counters file: it has " + buffer.capacity() +
                " bytes, for metadata of " + metadata + ", values of " + values + ", errors of " + errors +
                " and a topic of " + topic);
        }
    }

    public Path path()
    {
        return path;
    }

    public String topic()
    {
        return buffer.getStringAscii(CountersFileDescriptor.TOPIC_FIELD_OFFSET);
    }

    /**
     * Id of the process that made the file.
     */
    public long pid()
    {
        return buffer.getLong(CountersFileDescriptor.PID_FIELD_OFFSET);
    }

    /**
     * When the consumer was made, in milliseconds since 1970.
     */
    public long startMs()
    {
        return buffer.getLong(CountersFileDescriptor.START_FIELD_OFFSET);
    }

    /**
     * When the consumer was closed, in milliseconds since 1970; 0 if it has not been.
     */
    public long endMs()
    {
        return buffer.getLongVolatile(CountersFileDescriptor.END_FIELD_OFFSET);
    }

    /**
     * When the consumer was last polled, in milliseconds since 1970, give or take a tenth of a second; 0 if never.
     */
    public long lastPollMs()
    {
        return buffer.getLongVolatile(CountersFileDescriptor.HEARTBEAT_FIELD_OFFSET);
    }

    /**
     * Whether the consumer is not closed and its process there, as far as can be seen from this one: not from another
     * container.
     */
    public boolean isRunning()
    {
        return endMs() == 0 && CountersFileDescriptor.isRunning(pid(), startMs());
    }

    /**
     * How many counters of the whole consumer there are: fewer or more than {@link ConsumerCounters#count()} if another
     * release wrote the file.
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
            counters.getCounterTypeId(id) == CountersFile.TOTAL_TYPE_ID;
    }

    /**
     * What a counter of the whole consumer counts.
     *
     * @param id 0 to {@link #totalCount()} - 1.
     * @return a few words.
     */
    public String totalName(final int id)
    {
        return counters.getCounterLabel(id);
    }

    /**
     * Value of a counter of the whole consumer.
     *
     * @param id one of the constants of {@link ConsumerCounters}.
     * @return the value; 0 if the file has no such counter.
     */
    public long total(final int id)
    {
        return isTotal(id) ? counters.getCounterValue(id) : 0;
    }

    /**
     * Values of one kind for all partitions that have any. Partitions are added while it runs, so that another kind may
     * have more of them.
     *
     * @param typeId {@link CountersFile#NEXT_OFFSET_TYPE_ID}, {@link CountersFile#HIGH_WATERMARK_TYPE_ID} or {@link
     *               CountersFile#LAG_TYPE_ID}.
     * @return by partition id; {@link #NULL_VALUE} where there is none.
     */
    public long[] partitionValues(final int typeId)
    {
        return partitionValues(counters, typeId);
    }

    /**
     * As {@link #partitionValues(int)}, of counters that have been mapped.
     *
     * @param counters of a {@link CountersFile}.
     * @param typeId   which.
     * @return by partition id.
     */
    public static long[] partitionValues(final CountersReader counters, final int typeId)
    {
        final int count = counters.maxCounterId() + 1;
        long[] values = {};
        for (int id = 0; id < count; id++)
        {
            final int state = counters.getCounterState(id);
            if (state == CountersReader.RECORD_UNUSED)
            {
                return values;
            }
            if (state == CountersReader.RECORD_ALLOCATED && counters.getCounterTypeId(id) == typeId)
            {
                final int partition = counters.metaDataBuffer().getInt(
                    CountersReader.metaDataOffset(id) + CountersReader.KEY_OFFSET);
                if (partition >= 0 && partition < MAX_PARTITIONS)
                {
                    values = withRoom(values, partition);
                    values[partition] = counters.getCounterValue(id);
                }
            }
        }
        return values;
    }

    private static long[] withRoom(final long[] values, final int partition)
    {
        if (partition < values.length)
        {
            return values;
        }
        final long[] larger = Arrays.copyOf(values, partition + 1);
        Arrays.fill(larger, values.length, larger.length, NULL_VALUE);
        return larger;
    }

    /**
     * All counters, each with its type, its key (the partition, an int) and its label.
     */
    public CountersReader counters()
    {
        return counters;
    }

    /**
     * What Agrona's ErrorLogReader reads: the distinct errors.
     */
    public AtomicBuffer errorLog()
    {
        return CountersFileDescriptor.errorLog(buffer);
    }
}
