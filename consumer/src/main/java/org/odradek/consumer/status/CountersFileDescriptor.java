// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.status;

import org.agrona.BitUtil;
import org.agrona.concurrent.AtomicBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.status.CountersReader;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * Where things lie in a {@link CountersFile}, in the byte order of the machine, as Agrona writes.
 * <pre>
 *     0  long  magic, "ODRADEKC" in ASCII
 *     8  int   version; written last, when all else is there
 *    12  int   length of the counters' metadata
 *    16  int   length of the counters' values
 *    20  int   length of the error log
 *    24  long  id of the process
 *    32  long  when the consumer was made, in milliseconds since 1970
 *    40  long  when it was closed; 0 while it is not
 *    48  long  when it was last polled, renewed every {@link #HEARTBEAT_INTERVAL_NS} of polling; 0 before
 *    56  int   length of the topic's name, then the name in ASCII
 *   512  metadata ({@link CountersReader#METADATA_LENGTH} bytes a counter),
 *        values ({@link CountersReader#COUNTER_LENGTH} bytes a counter), error log of Agrona's DistinctErrorLog
 * </pre>
 */
final class CountersFileDescriptor
{
    static final long MAGIC = ByteBuffer.wrap(new byte[] {'O', 'D', 'R', 'A', 'D', 'E', 'K', 'C'}).getLong();
    static final int VERSION = 1;

    static final int MAGIC_FIELD_OFFSET = 0;
    static final int VERSION_FIELD_OFFSET = MAGIC_FIELD_OFFSET + BitUtil.SIZE_OF_LONG;
    static final int METADATA_LENGTH_FIELD_OFFSET = VERSION_FIELD_OFFSET + BitUtil.SIZE_OF_INT;
    static final int VALUES_LENGTH_FIELD_OFFSET = METADATA_LENGTH_FIELD_OFFSET + BitUtil.SIZE_OF_INT;
    static final int ERROR_LOG_LENGTH_FIELD_OFFSET = VALUES_LENGTH_FIELD_OFFSET + BitUtil.SIZE_OF_INT;
    static final int PID_FIELD_OFFSET = ERROR_LOG_LENGTH_FIELD_OFFSET + BitUtil.SIZE_OF_INT;
    static final int START_FIELD_OFFSET = PID_FIELD_OFFSET + BitUtil.SIZE_OF_LONG;
    static final int END_FIELD_OFFSET = START_FIELD_OFFSET + BitUtil.SIZE_OF_LONG;
    static final int HEARTBEAT_FIELD_OFFSET = END_FIELD_OFFSET + BitUtil.SIZE_OF_LONG;
    static final int TOPIC_FIELD_OFFSET = HEARTBEAT_FIELD_OFFSET + BitUtil.SIZE_OF_LONG;
    static final int HEADER_LENGTH = 512;

    static final long HEARTBEAT_INTERVAL_NS = 100_000_000L;

    /**
     * Of one counter in all: its metadata and its value.
     */
    static final int BYTES_PER_COUNTER = CountersReader.METADATA_LENGTH + CountersReader.COUNTER_LENGTH;

    /**
     * How exactly a system tells when a process started.
     */
    private static final Duration START_TOLERANCE = Duration.ofSeconds(2);

    private CountersFileDescriptor()
    {
    }

    static AtomicBuffer metadata(final UnsafeBuffer file)
    {
        return new UnsafeBuffer(file, HEADER_LENGTH, file.getInt(METADATA_LENGTH_FIELD_OFFSET));
    }

    static AtomicBuffer values(final UnsafeBuffer file)
    {
        return new UnsafeBuffer(file, HEADER_LENGTH + file.getInt(METADATA_LENGTH_FIELD_OFFSET),
            file.getInt(VALUES_LENGTH_FIELD_OFFSET));
    }

    static AtomicBuffer errorLog(final UnsafeBuffer file)
    {
        return new UnsafeBuffer(file, HEADER_LENGTH + file.getInt(METADATA_LENGTH_FIELD_OFFSET) +
            file.getInt(VALUES_LENGTH_FIELD_OFFSET), file.getInt(ERROR_LOG_LENGTH_FIELD_OFFSET));
    }

    /**
     * Whether a process runs that may have made a file. One that has the same id and started later has not: a restarted
     * container gives out the same ids again.
     */
    static boolean isRunning(final long pid, final long fileStartMs)
    {
        final Optional<ProcessHandle> process = pid <= 0 ? Optional.empty() : ProcessHandle.of(pid);
        if (process.isEmpty() || !process.get().isAlive())
        {
            return false;
        }
        final Optional<Instant> start = process.get().info().startInstant();
        return start.isEmpty() || !start.get().isAfter(Instant.ofEpochMilli(fileStartMs).plus(START_TOLERANCE));
    }
}
