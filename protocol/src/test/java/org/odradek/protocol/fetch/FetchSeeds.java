// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol.fetch;

import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.FetchResponseData.FetchableTopicResponse;
import org.apache.kafka.common.message.FetchResponseData.PartitionData;
import org.apache.kafka.common.record.internal.MemoryRecords;

import java.nio.ByteBuffer;
import java.util.Random;
import java.util.function.Supplier;

/** Random Fetch responses whose record sets can be read. */
public final class FetchSeeds
{
    private FetchSeeds()
    {
    }

    /** @param recordSets returns the bytes of the next record set. */
    public static FetchResponseData response(
        final int version, final Random random, final Supplier<byte[]> recordSets)
    {
        final FetchResponseData response = FetchResponses.random(version, random);
        for (final FetchableTopicResponse topic : response.responses())
        {
            for (final PartitionData partition : topic.partitions())
            {
                partition.setRecords(MemoryRecords.readableRecords(ByteBuffer.wrap(recordSets.get())));
            }
        }
        return response;
    }
}
