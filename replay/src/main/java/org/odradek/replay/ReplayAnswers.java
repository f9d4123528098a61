// SPDX-License-Identifier: Apache-2.0
package org.odradek.replay;

import org.agrona.concurrent.UnsafeBuffer;
import org.odradek.protocol.ApiKey;
import org.odradek.protocol.WireWriter;

import java.nio.ByteBuffer;

import static java.nio.ByteOrder.BIG_ENDIAN;

/** Encodes the responses of a {@link ReplayBroker} that have no records, as complete frames. */
final class ReplayAnswers
{
    static final int NODE_ID = 1;
    static final String HOST = "127.0.0.1";
    static final int PORT = 9092;

    private static final int METADATA_VERSION = 12;
    private static final int FIXED_LENGTH = 256;
    private static final int PARTITION_LENGTH = 64;
    private static final int NO_AUTHORIZED_OPERATIONS = Integer.MIN_VALUE;
    private static final int NO_EPOCH = -1;
    private static final int FIRST_FETCH_VERSION_WITH_SESSION = 7;

    private ReplayAnswers()
    {
    }

    static ByteBuffer versions(final int version, final int fetchVersion)
    {
        final WireWriter writer = begin(ApiKey.API_VERSIONS, version, FIXED_LENGTH).int16(0).arrayCount(3);
        api(writer, ApiKey.FETCH, fetchVersion, fetchVersion);
        api(writer, ApiKey.METADATA, METADATA_VERSION, METADATA_VERSION);
        api(writer, ApiKey.API_VERSIONS, 0, ApiKey.API_VERSIONS.maxVersion());
        if (version > 0)
        {
            writer.int32(0);
        }
        return end(writer.noTags());
    }

    private static void api(final WireWriter writer, final ApiKey apiKey, final int minVersion, final int maxVersion)
    {
        writer.int16(apiKey.key()).int16(minVersion).int16(maxVersion).noTags();
    }

    /**
     * Returns a Metadata response in which one broker leads partitions 0 to {@code partitionCount - 1}. The topic has
     * the id of the frame.
     */
    static ByteBuffer metadata(final CapturedFrames frames, final int frame, final int partitionCount)
    {
        final byte[] topic = WireWriter.encode(frames.topic());
        final WireWriter writer = begin(
            ApiKey.METADATA, METADATA_VERSION, FIXED_LENGTH + topic.length + partitionCount * PARTITION_LENGTH)
            .int32(0)
            .arrayCount(1).int32(NODE_ID).string(WireWriter.encode(HOST)).int32(PORT).string(null).noTags()
            .string(null)
            .int32(NODE_ID)
            .arrayCount(1).int16(0).string(topic)
            .uuid(frames.topicIdMostSignificantBits(frame), frames.topicIdLeastSignificantBits(frame))
            .bool(false)
            .arrayCount(partitionCount);
        for (int partition = 0; partition < partitionCount; partition++)
        {
            writer.int16(0).int32(partition).int32(NODE_ID).int32(NO_EPOCH)
                .arrayCount(1).int32(NODE_ID).arrayCount(1).int32(NODE_ID).arrayCount(0).noTags();
        }
        return end(writer.int32(NO_AUTHORIZED_OPERATIONS).noTags().noTags());
    }

    static ByteBuffer emptyFetch(final int version)
    {
        final WireWriter writer = begin(ApiKey.FETCH, version, FIXED_LENGTH).int32(0);
        if (version >= FIRST_FETCH_VERSION_WITH_SESSION)
        {
            writer.int16(0).int32(0);
        }
        return end(writer.arrayCount(0).noTags());
    }

    /** Changes a copied response so that it answers another request, without throttling or a fetch session. */
    static void adapt(
        final ByteBuffer response,
        final int index,
        final int length,
        final short apiKey,
        final short version,
        final int correlationId)
    {
        response.putInt(index + Integer.BYTES, correlationId);
        final int throttleIndex = index + 2 * Integer.BYTES + ApiKey.FETCH.responseHeaderVersion(version);
        final int sessionIndex = throttleIndex + Integer.BYTES + Short.BYTES;
        if (apiKey == ApiKey.FETCH.key() && sessionIndex + Integer.BYTES <= index + length)
        {
            response.putInt(throttleIndex, 0);
            if (version >= FIRST_FETCH_VERSION_WITH_SESSION)
            {
                response.putInt(sessionIndex, 0);
            }
        }
    }

    private static WireWriter begin(final ApiKey apiKey, final int version, final int capacity)
    {
        final WireWriter writer = new WireWriter().wrap(
            new UnsafeBuffer(ByteBuffer.allocateDirect(capacity)), 0, apiKey.isFlexible(version)).int32(0).int32(0);
        return apiKey.responseHeaderVersion(version) > 0 ? writer.noTags() : writer;
    }

    private static ByteBuffer end(final WireWriter writer)
    {
        writer.buffer().putInt(0, writer.index() - Integer.BYTES, BIG_ENDIAN);
        return writer.buffer().byteBuffer().limit(writer.index());
    }
}
