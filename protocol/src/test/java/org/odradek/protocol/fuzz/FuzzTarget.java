// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol.fuzz;

import com.sun.management.ThreadMXBean;
import org.odradek.protocol.ApiKey;
import org.odradek.protocol.compression.CodecFuzz;
import org.odradek.protocol.record.CompressionType;
import org.odradek.protocol.record.RecordSeeds;

import java.lang.management.ManagementFactory;
import java.util.Locale;
import java.util.Random;
import java.util.function.Function;

/**
 * The code that reads bytes from a broker, by message or format. Each target has inputs in the {@link Corpus}. A new
 * response needs one line here, a walk over it, and seeds.
 */
public enum FuzzTarget
{
    FETCH_RESPONSE(ApiKey.FETCH, ResponseWalks::fetch),
    RECORD_BATCH(RecordSetWalk::read, RecordSeeds::recordSet),
    LEGACY_MESSAGES(RecordSetWalk::readMessages, RecordSeeds::messages),
    GZIP(CompressionType.GZIP),
    SNAPPY(CompressionType.SNAPPY),
    LZ4(CompressionType.LZ4),
    ZSTD(CompressionType.ZSTD),
    API_VERSIONS(ApiKey.API_VERSIONS, ResponseWalks::apiVersions),
    LIST_OFFSETS(ApiKey.LIST_OFFSETS, ResponseWalks::listOffsets),
    METADATA(ApiKey.METADATA, ResponseWalks::metadata),
    OFFSET_FOR_LEADER_EPOCH(ApiKey.OFFSET_FOR_LEADER_EPOCH, ResponseWalks::offsetForLeaderEpoch),
    FIND_COORDINATOR(ApiKey.FIND_COORDINATOR, ResponseWalks::findCoordinator),
    OFFSET_COMMIT(ApiKey.OFFSET_COMMIT, ResponseWalks::offsetCommit),
    OFFSET_FETCH(ApiKey.OFFSET_FETCH, ResponseWalks::offsetFetch),
    SASL_HANDSHAKE(ApiKey.SASL_HANDSHAKE, ResponseWalks::saslHandshake),
    SASL_AUTHENTICATE(ApiKey.SASL_AUTHENTICATE, ResponseWalks::saslAuthenticate),
    CONSUMER_GROUP_HEARTBEAT(ApiKey.CONSUMER_GROUP_HEARTBEAT, ResponseWalks::consumerGroupHeartbeat);

    /** Much more than the text of a readout takes, and much less than an unchecked length would allocate. */
    private static final long MAX_ALLOCATION = 64L << 20;
    /** Loading and instrumenting a class also allocates this much, but only once. */
    private static final int ATTEMPTS = 3;
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private final Function<byte[], String> reading;
    private final Function<Random, byte[]> seeds;

    FuzzTarget(final Surroundings.Walk walk, final Function<Random, byte[]> seeds)
    {
        reading = (bytes) -> Surroundings.read(bytes, walk);
        this.seeds = seeds;
    }

    FuzzTarget(final ApiKey apiKey, final ResponseWalks.Response response)
    {
        this(ResponseWalks.of(apiKey, response), ResponseWalks.seeds(apiKey));
    }

    FuzzTarget(final int codec)
    {
        final CodecFuzz fuzz = new CodecFuzz(codec);
        reading = fuzz::read;
        seeds = fuzz::seed;
    }

    /** The name on the command line and of the file in the corpus. */
    public String label()
    {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** @throws IllegalArgumentException if there is no target with this label. */
    public static FuzzTarget ofLabel(final String label)
    {
        for (final FuzzTarget target : values())
        {
            if (target.label().equals(label))
            {
                return target;
            }
        }
        throw new IllegalArgumentException(label + " is not a fuzz target");
    }

    /**
     * Reads an input in all its surroundings.
     *
     * @return a digest of what was read.
     * @throws AssertionError if the result depends on the surroundings or reading allocates too much. Any other
     *                        exception is a defect of the code under test.
     */
    public String read(final byte[] input)
    {
        long allocated = 0;
        for (int i = 0; i < ATTEMPTS; i++)
        {
            final long before = THREADS.getCurrentThreadAllocatedBytes();
            final String digest = reading.apply(input);
            allocated = THREADS.getCurrentThreadAllocatedBytes() - before;
            if (allocated <= MAX_ALLOCATION)
            {
                return digest;
            }
        }
        throw new AssertionError(input.length + " bytes made the reader allocate " + allocated);
    }

    /** A valid input, written by kafka-clients. */
    public byte[] seed(final Random random)
    {
        return seeds.apply(random);
    }
}
