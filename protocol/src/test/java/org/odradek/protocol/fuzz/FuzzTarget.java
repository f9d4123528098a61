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
 * Everything that reads bytes of a broker, each with a corpus in the folder of its name. A new response is one line
 * here, a walk, and its seeds.
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
    OFFSET_FETCH(ApiKey.OFFSET_FETCH, ResponseWalks::offsetFetch);

    /** Far above what writing down takes, far below what a length that is believed would take. */
    private static final long MAX_ALLOCATION = 64L << 20;
    /** A class that is loaded, and instrumented, on the way costs as much, but not twice. */
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

    /** As it is written on the command line and on the folder. */
    public String folder()
    {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** @throws IllegalArgumentException if there is none of that name. */
    public static FuzzTarget ofFolder(final String folder)
    {
        for (final FuzzTarget target : values())
        {
            if (target.folder().equals(folder))
            {
                return target;
            }
        }
        throw new IllegalArgumentException(folder + " is no target to fuzz");
    }

    /**
     * Reads an input in all its surroundings.
     *
     * @return a digest of what was read.
     * @throws AssertionError if it depends on the surroundings or takes more memory than it could need; anything else
     *                        that is thrown is a fault of what was called.
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

    /** A sound input, as kafka-clients writes them. */
    public byte[] seed(final Random random)
    {
        return seeds.apply(random);
    }
}
