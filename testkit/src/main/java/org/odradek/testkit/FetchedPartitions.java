// SPDX-License-Identifier: Apache-2.0
package org.odradek.testkit;

import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.RequestHeaderData;
import org.apache.kafka.common.protocol.ByteBufferAccessor;

import java.nio.ByteBuffer;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Which partitions a fetch request asks for, read with Kafka's own message classes.
 */
final class FetchedPartitions
{
    static final short FETCH = 1;

    private static final short FIRST_FLEXIBLE_VERSION = 12;

    private FetchedPartitions()
    {
    }

    static Set<Integer> of(final RequestFrame request)
    {
        final short version = request.apiVersion();
        final ByteBufferAccessor payload = new ByteBufferAccessor(ByteBuffer.wrap(request.payload()));
        new RequestHeaderData(payload, (short) (version >= FIRST_FLEXIBLE_VERSION ? 2 : 1));
        return new FetchRequestData(payload, version).topics().stream()
            .flatMap((topic) -> topic.partitions().stream())
            .map(FetchRequestData.FetchPartition::partition).collect(Collectors.toSet());
    }
}
