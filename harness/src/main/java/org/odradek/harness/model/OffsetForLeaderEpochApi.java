// SPDX-License-Identifier: Apache-2.0
package org.odradek.harness.model;

import org.apache.kafka.common.message.OffsetForLeaderEpochRequestData;
import org.apache.kafka.common.message.OffsetForLeaderEpochRequestData.OffsetForLeaderPartition;
import org.apache.kafka.common.message.OffsetForLeaderEpochRequestData.OffsetForLeaderTopic;
import org.apache.kafka.common.message.OffsetForLeaderEpochResponseData;
import org.apache.kafka.common.message.OffsetForLeaderEpochResponseData.EpochEndOffset;
import org.apache.kafka.common.message.OffsetForLeaderEpochResponseData.OffsetForLeaderTopicResult;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;

/** Answers OffsetForLeaderEpoch requests from the leader epochs of the logs. */
final class OffsetForLeaderEpochApi implements ModelBroker.Api
{
    @Override
    public ApiMessage respond(final ModelRequest request)
    {
        final ModelBroker broker = request.broker();
        final OffsetForLeaderEpochResponseData response =
            new OffsetForLeaderEpochResponseData().setThrottleTimeMs(request.throttleMs());
        for (final OffsetForLeaderTopic topic : ((OffsetForLeaderEpochRequestData)request.message()).topics())
        {
            final OffsetForLeaderTopicResult answered = new OffsetForLeaderTopicResult().setTopic(topic.topic());
            for (final OffsetForLeaderPartition requested : topic.partitions())
            {
                final MetadataView.Partition partition =
                    broker.view().partition(topic.topic(), requested.partition());
                final Errors planned =
                    broker.hooks().partitionError(request, topic.topic(), requested.partition());
                final Errors error = planned == Errors.NONE ?
                    broker.check(partition, requested.currentLeaderEpoch(), true) : planned;
                final EpochEndOffset end =
                    new EpochEndOffset().setPartition(requested.partition()).setErrorCode(error.code());
                if (error == Errors.NONE)
                {
                    final ModelLog log = partition.partition.log();
                    end.setLeaderEpoch(log.floorEpoch(requested.leaderEpoch()))
                        .setEndOffset(log.epochEndOffset(requested.leaderEpoch()));
                }
                answered.partitions().add(end);
            }
            response.topics().add(answered);
        }
        return response;
    }
}
