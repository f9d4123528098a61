// SPDX-License-Identifier: Apache-2.0
package org.odradek.harness.model;

import org.apache.kafka.common.message.ListOffsetsRequestData;
import org.apache.kafka.common.message.ListOffsetsRequestData.ListOffsetsPartition;
import org.apache.kafka.common.message.ListOffsetsRequestData.ListOffsetsTopic;
import org.apache.kafka.common.message.ListOffsetsResponseData;
import org.apache.kafka.common.message.ListOffsetsResponseData.ListOffsetsPartitionResponse;
import org.apache.kafka.common.message.ListOffsetsResponseData.ListOffsetsTopicResponse;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;

/** Answers ListOffsets requests: log start, log end, maximum timestamp, and the first record since a timestamp. */
final class ListOffsetsApi implements ModelBroker.Api
{
    private static final short FIRST_WITH_EPOCHS = 4;
    private static final int LATEST = -1;
    private static final int EARLIEST = -2;
    private static final int MAX_TIMESTAMP = -3;
    private static final int EARLIEST_LOCAL = -4;
    private static final int FIRST_WITH_NOT_AVAILABLE = 5;
    /** The first version that knows each special timestamp, by its negation. */
    private static final int[] FIRST_VERSIONS = {0, 0, 0, 7, 8, 9, 11};

    private final ModelRecord record = new ModelRecord();

    @Override
    public ApiMessage respond(final ModelRequest request)
    {
        final ListOffsetsRequestData data = (ListOffsetsRequestData)request.message();
        final ListOffsetsResponseData response = new ListOffsetsResponseData().setThrottleTimeMs(request.throttleMs());
        for (final ListOffsetsTopic topic : data.topics())
        {
            final ListOffsetsTopicResponse answered = new ListOffsetsTopicResponse().setName(topic.name());
            for (final ListOffsetsPartition requested : topic.partitions())
            {
                final ListOffsetsPartitionResponse found = new ListOffsetsPartitionResponse()
                    .setPartitionIndex(requested.partitionIndex());
                final Errors error = topic.partitions().stream().filter(
                    (other) -> other.partitionIndex() == requested.partitionIndex()).count() > 1 ?
                    Errors.INVALID_REQUEST : find(request, topic.name(), requested, found);
                if (request.version() < FIRST_WITH_EPOCHS)
                {
                    found.setLeaderEpoch(ModelLog.NONE);
                }
                if (error != Errors.INVALID_REQUEST || answered.partitions().stream().noneMatch(
                    (other) -> other.partitionIndex() == requested.partitionIndex()))
                {
                    answered.partitions().add(found.setErrorCode(error.code()));
                }
            }
            response.topics().add(answered);
        }
        return response;
    }

    private Errors find(
        final ModelRequest request,
        final String topic,
        final ListOffsetsPartition requested,
        final ListOffsetsPartitionResponse found)
    {
        final ModelBroker broker = request.broker();
        final MetadataView.Partition partition = broker.view().partition(topic, requested.partitionIndex());
        final int special = (int)Math.max(-requested.timestamp(), 0);
        if (requested.timestamp() < 0 &&
            (special >= FIRST_VERSIONS.length || request.version() < FIRST_VERSIONS[special]))
        {
            return Errors.UNSUPPORTED_VERSION;
        }
        final Errors planned = broker.hooks().partitionError(request, topic, requested.partitionIndex());
        final Errors error = planned == Errors.NONE ?
            broker.check(partition, requested.currentLeaderEpoch(), true) : planned;
        if (error != Errors.NONE)
        {
            return error;
        }
        final ModelLog log = partition.partition.log();
        final long highWatermark = broker.highWatermark(partition);
        final boolean isCommitted = ((ListOffsetsRequestData)request.message()).isolationLevel() == 1;
        final long end = isCommitted ? Math.min(highWatermark, log.lastStableOffset()) : highWatermark;
        if (requested.timestamp() == EARLIEST || requested.timestamp() == EARLIEST_LOCAL)
        {
            found.setOffset(log.startOffset()).setLeaderEpoch(log.epochAt(log.startOffset()));
            return Errors.NONE;
        }
        if (requested.timestamp() >= 0 || requested.timestamp() == MAX_TIMESTAMP)
        {
            findRecord(log, requested.timestamp(), end, found);
        }
        if (found.offset() < 0 && log.isHighWatermarkLagging())
        {
            return request.version() >= FIRST_WITH_NOT_AVAILABLE ?
                Errors.OFFSET_NOT_AVAILABLE : Errors.LEADER_NOT_AVAILABLE;
        }
        if (requested.timestamp() == LATEST)
        {
            found.setOffset(end).setLeaderEpoch(partition.leaderEpoch);
        }
        return Errors.NONE;
    }

    private void findRecord(
        final ModelLog log, final long timestamp, final long end, final ListOffsetsPartitionResponse found)
    {
        if (log.firstSince(timestamp == MAX_TIMESTAMP ? log.maxTimestamp() : timestamp, record) &&
            record.offset() < end && record.timestamp() >= 0)
        {
            found.setOffset(record.offset()).setTimestamp(record.timestamp()).setLeaderEpoch(record.leaderEpoch());
        }
    }
}
