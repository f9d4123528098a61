// SPDX-License-Identifier: Apache-2.0
package org.odradek.harness.model;

import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.ApiMessageType;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.FetchResponseData.FetchableTopicResponse;
import org.apache.kafka.common.message.FetchResponseData.NodeEndpoint;
import org.apache.kafka.common.message.FetchResponseData.PartitionData;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.MemoryRecords;

import java.util.ArrayList;
import java.util.List;

/**
 * Answers Fetch requests. A request is answered at once if it does not want to wait, if enough bytes can be read, or if
 * a partition has an error, a diverging epoch or a preferred replica; otherwise it is parked until that is so or its
 * wait has ended.
 */
final class FetchApi implements ModelBroker.Api
{
    private static final int FIRST_WITH_RACK = 11;
    private static final int FIRST_WITH_LEADER_HINTS = 16;
    /** The {@code fetch.max.bytes} of a broker. */
    private static final int MAX_BYTES = 55 * 1024 * 1024;

    private final ModelBroker broker;
    private final FetchSessions sessions;
    /** Whether the last read returned a first batch that is longer than the limit of its partition. */
    private boolean isLimitExceeded;

    FetchApi(final ModelBroker broker, final FetchSessions sessions)
    {
        this.broker = broker;
        this.sessions = sessions;
    }

    @Override
    public ApiMessage respond(final ModelRequest request)
    {
        final FetchRequestData data = (FetchRequestData)request.message();
        if (request.parked != null)
        {
            final FetchSessions.Session parked = (FetchSessions.Session)request.parked;
            return isAnswered(request, data, parked) ? complete(request, data, parked) : null;
        }
        final Errors error = sessions.check(data, request.version());
        if (error != Errors.NONE)
        {
            return new FetchResponseData().setThrottleTimeMs(request.throttleMs()).setErrorCode(error.code());
        }
        final FetchSessions.Session session = FetchSessions.isFull(data, request.version()) ?
            sessions.full(data, request.version()) : sessions.incremental(data);
        if (request.throttleMs() > 0)
        {
            return new FetchResponseData().setThrottleTimeMs(request.throttleMs()).setSessionId(session.id());
        }
        boolean isUnknownOnly = true;
        for (FetchSessions.Entry entry = session.first(); entry != null; entry = entry.next)
        {
            isUnknownOnly &= !begin(request, entry);
        }
        final int bytes = readAll(request, data, session);
        if (data.maxWaitMs() <= 0 || isUnknownOnly || bytes >= data.minBytes())
        {
            return complete(request, data, session);
        }
        request.park(session, data.maxWaitMs());
        return bytes > 0 && isAnswered(request, data, session) ? complete(request, data, session) : null;
    }

    /** Reads the partitions of a parked request, and returns whether it is answered now. */
    private boolean isAnswered(
        final ModelRequest request, final FetchRequestData data, final FetchSessions.Session session)
    {
        final int bytes = readAll(request, data, session);
        if (bytes >= data.minBytes() && !isLimitExceeded || request.deadlineNs <= broker.cluster().nowNs())
        {
            return true;
        }
        if (bytes == 0 || !isSatisfied(request, data, session))
        {
            return false;
        }
        readAll(request, data, session);
        return true;
    }

    /** Asks the hooks. Returns false if the broker does not know the partition; the others wait nevertheless. */
    private boolean begin(final ModelRequest request, final FetchSessions.Entry entry)
    {
        entry.fixed = null;
        resolve(entry);
        if (entry.partition == null)
        {
            entry.fixed = error(entry, entry.viewedTopic == null && entry.topic instanceof Uuid ?
                Errors.UNKNOWN_TOPIC_ID : Errors.UNKNOWN_TOPIC_OR_PARTITION);
            return false;
        }
        final BrokerHooks hooks = broker.hooks();
        final Errors planned =
            hooks.partitionError(request, entry.viewedTopic.name, entry.requested.partition());
        entry.fixed = planned == Errors.NONE ?
            hooks.fetched(request, entry.viewedTopic.name, entry.requested) : error(entry, planned);
        return true;
    }

    private void resolve(final FetchSessions.Entry entry)
    {
        final MetadataView view = broker.view();
        if (entry.view != view)
        {
            entry.view = view;
            entry.viewedTopic =
                entry.topic instanceof Uuid ? view.topic((Uuid)entry.topic) : view.topic((String)entry.topic);
            entry.partition =
                entry.viewedTopic == null ? null : entry.viewedTopic.partition(entry.requested.partition());
        }
    }

    private static PartitionData error(final FetchSessions.Entry entry, final Errors error)
    {
        return new PartitionData().setPartitionIndex(entry.requested.partition()).setErrorCode(error.code())
            .setHighWatermark(-1).setRecords(MemoryRecords.EMPTY);
    }

    /** Reads all partitions within the limits. Returns the bytes, or {@link Integer#MAX_VALUE} if one cannot wait. */
    private int readAll(
        final ModelRequest request, final FetchRequestData data, final FetchSessions.Session session)
    {
        int left = Math.min(data.maxBytes(), MAX_BYTES);
        int bytes = 0;
        boolean isWithoutWait = false;
        isLimitExceeded = false;
        for (FetchSessions.Entry entry = session.first(); entry != null; entry = entry.next)
        {
            isWithoutWait |= !read(request, data, entry,
                Math.max(0, Math.min(left, entry.requested.partitionMaxBytes())), bytes == 0);
            isLimitExceeded |= entry.length > entry.requested.partitionMaxBytes();
            bytes += entry.length;
            left -= entry.length;
        }
        return isWithoutWait ? Integer.MAX_VALUE : bytes;
    }

    /** Returns whether a parked request is answered: the sum of what is available, each up to its own limit. */
    private boolean isSatisfied(
        final ModelRequest request, final FetchRequestData data, final FetchSessions.Session session)
    {
        long bytes = 0;
        for (FetchSessions.Entry entry = session.first(); entry != null; entry = entry.next)
        {
            if (!read(request, data, entry, Integer.MAX_VALUE, true))
            {
                return true;
            }
            if (entry.length > 0 && entry.fixed == null && !entry.partition.partition.log().isOneSegment(
                entry.requested.fetchOffset(), end(data, entry)))
            {
                return true;
            }
            bytes += Math.min(entry.length, entry.requested.partitionMaxBytes());
        }
        return bytes >= data.minBytes();
    }

    private static long end(final FetchRequestData data, final FetchSessions.Entry entry)
    {
        return data.isolationLevel() == 1 ? entry.lastStableOffset : entry.highWatermark;
    }

    /** Reads a partition into its entry. Returns false if the result is one for which a request does not wait. */
    private boolean read(
        final ModelRequest request,
        final FetchRequestData data,
        final FetchSessions.Entry entry,
        final int maxLength,
        final boolean isOneBatchWanted)
    {
        entry.length = 0;
        entry.preferredReplica = -1;
        entry.isDiverging = false;
        if (entry.fixed != null)
        {
            return takeFixed(entry);
        }
        resolve(entry);
        entry.error = broker.check(
            entry.partition, entry.requested.currentLeaderEpoch(), request.version() < FIRST_WITH_RACK);
        if (entry.error != Errors.NONE)
        {
            return fail(entry, entry.error);
        }
        final ModelLog log = entry.partition.partition.log();
        final long offset = entry.requested.fetchOffset();
        entry.highWatermark = broker.highWatermark(entry.partition);
        entry.lastStableOffset = Math.min(entry.highWatermark, log.lastStableOffset());
        entry.startOffset = log.startOffset();
        entry.preferredReplica = preferredReplica(data, entry);
        if (entry.preferredReplica >= 0)
        {
            return false;
        }
        final int epoch = entry.requested.lastFetchedEpoch();
        if (epoch >= 0 && log.floorEpoch(epoch) < 0 || offset < log.startOffset() ||
            offset > Math.min(log.endOffset(), entry.partition.partition.replicaEndOffset(broker.id())))
        {
            return fail(entry, Errors.OFFSET_OUT_OF_RANGE);
        }
        if (epoch >= 0 && (log.floorEpoch(epoch) < epoch || log.epochEndOffset(epoch) < offset))
        {
            entry.isDiverging = true;
            return false;
        }
        entry.length = log.readableLength(offset, end(data, entry), maxLength, isOneBatchWanted);
        return true;
    }

    private static boolean takeFixed(final FetchSessions.Entry entry)
    {
        final PartitionData fixed = entry.fixed;
        entry.error = Errors.forCode(fixed.errorCode());
        entry.length = fixed.records() == null ? 0 : fixed.records().sizeInBytes();
        entry.highWatermark = fixed.highWatermark();
        entry.lastStableOffset = fixed.lastStableOffset();
        entry.startOffset = fixed.logStartOffset();
        entry.preferredReplica = fixed.preferredReadReplica();
        return entry.partition == null || fixed.errorCode() == 0 && entry.preferredReplica < 0;
    }

    private static boolean fail(final FetchSessions.Entry entry, final Errors error)
    {
        entry.error = error;
        entry.highWatermark = -1;
        entry.lastStableOffset = -1;
        entry.startOffset = -1;
        return false;
    }

    /** Returns the replica in the client's rack that has the offset, or -1 if the leader serves the client. */
    private int preferredReplica(final FetchRequestData data, final FetchSessions.Entry entry)
    {
        if (data.rackId().isEmpty() || !broker.cluster().isFollowerFetching() ||
            entry.partition.leader != broker.id() || data.rackId().equals(broker.rack()))
        {
            return -1;
        }
        final long offset = entry.requested.fetchOffset();
        int preferred = -1;
        long preferredEnd = -1;
        for (final int id : entry.partition.replicas)
        {
            final MetadataView.Node node = entry.view.node(id);
            final long end = Math.min(
                entry.partition.partition.replicaEndOffset(id), entry.partition.partition.log().endOffset());
            if (node != null && isServing(id) && data.rackId().equals(node.rack()) && offset >= entry.startOffset &&
                offset <= end && end > preferredEnd)
            {
                preferred = id;
                preferredEnd = end;
            }
        }
        return preferred;
    }

    /** Returns whether a replica is in sync, and of a release that lets consumers read from followers. */
    private boolean isServing(final int brokerId)
    {
        final ModelBroker replica = broker.cluster().broker(brokerId);
        return replica.isUp() && !replica.isStale() && replica.versions().max(ApiMessageType.FETCH) >= FIRST_WITH_RACK;
    }

    private FetchResponseData complete(
        final ModelRequest request, final FetchRequestData data, final FetchSessions.Session session)
    {
        final boolean isFull = FetchSessions.isFull(data, request.version());
        final FetchResponseData response = new FetchResponseData().setSessionId(session.id());
        if (!isFull && session.id() != 0 && session.epoch() != FetchSessions.next(data.sessionEpoch()))
        {
            return response.setErrorCode(Errors.INVALID_FETCH_SESSION_EPOCH.code());
        }
        final FetchSessions.Entry last = session.last();
        FetchSessions.Entry next = session.first();
        boolean hasUnknown = false;
        while (next != null)
        {
            final FetchSessions.Entry entry = next;
            next = entry == last ? null : entry.next;
            entry.isSent = entry.noteSent() || isFull;
            if (entry.isSent && entry.partition != null)
            {
                add(request, response, entry, data.isolationLevel() == 1);
            }
            hasUnknown |= entry.partition == null;
            if (entry.length > 0 && !isFull)
            {
                session.moveToEnd(entry);
            }
        }
        for (next = hasUnknown ? session.first() : null; next != null; next = next.next) // last, as brokers do
        {
            if (next.isSent && next.partition == null)
            {
                add(request, response, next, false);
            }
        }
        return isFull ? response.setSessionId(sessions.create(data, request.version(), session)) : response;
    }

    private void add(
        final ModelRequest request,
        final FetchResponseData response,
        final FetchSessions.Entry entry,
        final boolean isCommitted)
    {
        final PartitionData data = entry.fixed == null ? result(entry, isCommitted) : entry.fixed;
        if (request.version() >= FIRST_WITH_LEADER_HINTS && entry.partition != null &&
            data.currentLeader().leaderId() < 0 && // a script may have set it
            (entry.error == Errors.NOT_LEADER_OR_FOLLOWER || entry.error == Errors.FENCED_LEADER_EPOCH))
        {
            data.currentLeader().setLeaderId(entry.partition.leader).setLeaderEpoch(entry.partition.leaderEpoch);
            final MetadataView.Node node = entry.view.node(entry.partition.leader);
            if (node != null && response.nodeEndpoints().find(node.id()) == null)
            {
                response.nodeEndpoints().add(new NodeEndpoint()
                    .setNodeId(node.id()).setHost(node.host()).setPort(node.port()).setRack(node.rack()));
            }
        }
        final List<FetchableTopicResponse> topics = response.responses();
        final boolean isById = entry.topic instanceof Uuid;
        FetchableTopicResponse topic = topics.isEmpty() ? null : topics.get(topics.size() - 1);
        if (topic == null || !entry.topic.equals(isById ? topic.topicId() : topic.topic()))
        {
            topic = new FetchableTopicResponse();
            topic = isById ? topic.setTopicId((Uuid)entry.topic) : topic.setTopic((String)entry.topic);
            topics.add(topic);
        }
        topic.partitions().add(data);
    }

    private static PartitionData result(final FetchSessions.Entry entry, final boolean isCommitted)
    {
        final PartitionData data = new PartitionData().setPartitionIndex(entry.requested.partition())
            .setErrorCode(entry.error.code()).setHighWatermark(entry.highWatermark)
            .setLastStableOffset(entry.lastStableOffset).setLogStartOffset(entry.startOffset)
            .setPreferredReadReplica(entry.preferredReplica).setAbortedTransactions(null)
            .setRecords(MemoryRecords.EMPTY);
        if (entry.error != Errors.NONE)
        {
            return data;
        }
        final ModelLog log = entry.partition.partition.log();
        final long offset = entry.requested.fetchOffset();
        if (entry.isDiverging)
        {
            data.divergingEpoch().setEpoch(log.floorEpoch(entry.requested.lastFetchedEpoch()))
                .setEndOffset(log.epochEndOffset(entry.requested.lastFetchedEpoch()));
        }
        if (isCommitted && entry.preferredReplica < 0)
        {
            data.setAbortedTransactions(entry.length == 0 ? new ArrayList<>() : log.aborted(offset, log.endOffset()));
        }
        return entry.length == 0 ? data :
            data.setRecords(MemoryRecords.readableRecords(log.read(offset, entry.length)));
    }
}
