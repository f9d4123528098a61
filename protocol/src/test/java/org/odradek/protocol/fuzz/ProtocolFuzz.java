// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol.fuzz;

import org.odradek.harness.fuzz.FuzzTarget;
import org.odradek.protocol.ApiKey;
import org.odradek.protocol.compression.CodecFuzz;
import org.odradek.protocol.record.CompressionType;
import org.odradek.protocol.record.RecordSeeds;

import java.util.Random;
import java.util.function.Function;

/**
 * The code that reads bytes from a broker, by message or format. Each target has inputs in the corpus. A new
 * response needs one line here, a walk over it, and seeds.
 */
public enum ProtocolFuzz implements FuzzTarget
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
    CONSUMER_GROUP_HEARTBEAT(ApiKey.CONSUMER_GROUP_HEARTBEAT, ResponseWalks::consumerGroupHeartbeat),
    DESCRIBE_GROUPS(ApiKey.DESCRIBE_GROUPS, ResponseWalks::describeGroups),
    JOIN_GROUP(ApiKey.JOIN_GROUP, ResponseWalks::joinGroup),
    SYNC_GROUP(ApiKey.SYNC_GROUP, ResponseWalks::syncGroup),
    LEAVE_GROUP(ApiKey.LEAVE_GROUP, ResponseWalks::leaveGroup),
    PRODUCE(ApiKey.PRODUCE, ResponseWalks::produce),
    INIT_PRODUCER_ID(ApiKey.INIT_PRODUCER_ID, ResponseWalks::initProducerId);

    private final Function<byte[], String> reading;
    private final Function<Random, byte[]> seeds;

    ProtocolFuzz(final Surroundings.Walk walk, final Function<Random, byte[]> seeds)
    {
        reading = (bytes) -> Surroundings.read(bytes, walk);
        this.seeds = seeds;
    }

    ProtocolFuzz(final ApiKey apiKey, final ResponseWalks.Response response)
    {
        this(ResponseWalks.of(apiKey, response), ResponseWalks.seeds(apiKey));
    }

    ProtocolFuzz(final int codec)
    {
        final CodecFuzz fuzz = new CodecFuzz(codec);
        reading = fuzz::read;
        seeds = fuzz::seed;
    }

    /** Reads the input in all its surroundings, which must make no difference. */
    @Override
    public String digest(final byte[] input)
    {
        return reading.apply(input);
    }

    /** Written by kafka-clients. */
    @Override
    public byte[] seed(final Random random)
    {
        return seeds.apply(random);
    }
}
