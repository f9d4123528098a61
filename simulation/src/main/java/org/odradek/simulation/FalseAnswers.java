// SPDX-License-Identifier: Apache-2.0
package org.odradek.simulation;

import org.apache.kafka.common.message.FindCoordinatorResponseData;
import org.apache.kafka.common.message.InitProducerIdResponseData;
import org.apache.kafka.common.message.ListOffsetsResponseData;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponseBroker;
import org.apache.kafka.common.message.OffsetCommitResponseData;
import org.apache.kafka.common.message.OffsetFetchResponseData;
import org.apache.kafka.common.message.OffsetForLeaderEpochResponseData;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.message.ProduceResponseData.PartitionProduceResponse;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** Changes responses so that they can be decoded and are false or incomplete. */
final class FalseAnswers
{
    private static final int BODY_INDEX = 8;
    private static final int[] IMPOSSIBLE_PORTS = {-1, 0, 65_536, Integer.MIN_VALUE, Integer.MAX_VALUE};

    private static final Errors[] AFTER_APPEND = {Errors.REQUEST_TIMED_OUT, Errors.NOT_ENOUGH_REPLICAS_AFTER_APPEND,
        Errors.UNKNOWN_SERVER_ERROR, Errors.DUPLICATE_SEQUENCE_NUMBER};

    private FalseAnswers()
    {
    }

    /**
     * Has a broker say that a batch was appended and may be lost, that it had the batch before, or that it has no
     * producer id yet. Returns false if the response is another one.
     */
    static boolean failAppended(final ApiMessage response, final Draw draw)
    {
        if (response instanceof InitProducerIdResponseData id)
        {
            fail(id, Errors.COORDINATOR_LOAD_IN_PROGRESS);
            return true;
        }
        if (response instanceof ProduceResponseData produced)
        {
            final List<PartitionProduceResponse> appended = produced.responses().stream()
                .flatMap((topic) -> topic.partitionResponses().stream())
                .filter((partition) -> partition.errorCode() == Errors.NONE.code()).toList();
            if (!appended.isEmpty())
            {
                appended.get(draw.below(appended.size())).setErrorCode(draw.pick(AFTER_APPEND).code());
                return true;
            }
        }
        return false;
    }

    /** Has a broker give no producer id. Returns false if the response is another one, or has failed already. */
    static boolean refuseId(final ApiMessage response)
    {
        final boolean isGiven =
            response instanceof InitProducerIdResponseData id && id.errorCode() == Errors.NONE.code();
        if (isGiven)
        {
            fail((InitProducerIdResponseData)response, Errors.CLUSTER_AUTHORIZATION_FAILED);
        }
        return isGiven;
    }

    private static void fail(final InitProducerIdResponseData id, final Errors error)
    {
        id.setErrorCode(error.code()).setProducerId(-1).setProducerEpoch((short)-1);
    }

    /** Removes one partition from a response about offsets or to Produce. Returns false if there is none. */
    static boolean leaveOut(final ApiMessage response, final Draw draw)
    {
        final List<List<?>> lists = new ArrayList<>();
        if (response instanceof ListOffsetsResponseData offsets)
        {
            offsets.topics().forEach((topic) -> lists.add(topic.partitions()));
        }
        else if (response instanceof OffsetForLeaderEpochResponseData epochs)
        {
            epochs.topics().forEach((topic) -> lists.add(topic.partitions()));
        }
        else if (response instanceof OffsetCommitResponseData commits)
        {
            commits.topics().forEach((topic) -> lists.add(topic.partitions()));
        }
        else if (response instanceof OffsetFetchResponseData fetches)
        {
            fetches.topics().forEach((topic) -> lists.add(topic.partitions()));
            fetches.groups().forEach((group) -> group.topics().forEach((topic) -> lists.add(topic.partitions())));
        }
        else if (response instanceof ProduceResponseData produced)
        {
            produced.responses().forEach((topic) -> lists.add(topic.partitionResponses()));
        }
        lists.removeIf(List::isEmpty);
        if (lists.isEmpty())
        {
            return false;
        }
        final List<?> partitions = lists.get(draw.below(lists.size()));
        partitions.remove(draw.below(partitions.size()));
        return true;
    }

    /** Gives a broker that a response names an impossible port. Returns false if the response names none. */
    static boolean misdirect(final ApiMessage response, final Draw draw)
    {
        final int port = IMPOSSIBLE_PORTS[draw.below(IMPOSSIBLE_PORTS.length)];
        if (response instanceof MetadataResponseData metadata && !metadata.brokers().isEmpty())
        {
            final MetadataResponseBroker broker = metadata.brokers().iterator().next();
            broker.setPort(port);
            return true;
        }
        if (response instanceof ProduceResponseData produced && !produced.nodeEndpoints().isEmpty())
        {
            produced.nodeEndpoints().forEach((endpoint) -> endpoint.setPort(port));
            return true;
        }
        if (response instanceof FindCoordinatorResponseData found)
        {
            found.setPort(found.coordinators().isEmpty() ? port : 0);
            found.coordinators().forEach((coordinator) -> coordinator.setPort(port));
            return true;
        }
        return false;
    }

    /** Returns a response to ApiVersions that no layout can read after its error code. */
    static ByteBuffer refuseUnreadably(final ByteBuffer frame)
    {
        final int correlationId = frame.getInt(Integer.BYTES);
        final ByteBuffer refusal = ByteBuffer.allocate(BODY_INDEX + Short.BYTES + Integer.BYTES);
        return refusal.putInt(refusal.capacity() - Integer.BYTES).putInt(correlationId)
            .putShort(Errors.UNSUPPORTED_VERSION.code()).putInt(Integer.MAX_VALUE).flip();
    }
}
