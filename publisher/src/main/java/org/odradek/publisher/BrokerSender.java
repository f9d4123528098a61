// SPDX-License-Identifier: Apache-2.0
package org.odradek.publisher;

import org.odradek.client.cluster.PartitionLeaders;
import org.odradek.client.core.Backoff;
import org.odradek.client.core.DutyClock;
import org.odradek.client.engine.Leaders;
import org.odradek.client.net.BrokerAddress;
import org.odradek.client.net.BrokerConnection;
import org.odradek.client.net.ConnectionState;
import org.odradek.protocol.ApiKey;
import org.odradek.protocol.ErrorCode;
import org.odradek.protocol.NodeEndpointsFlyweight;
import org.odradek.protocol.PrintableText;
import org.odradek.protocol.RequestHeaderEncoder;
import org.odradek.protocol.WireFormatException;
import org.odradek.protocol.produce.ProduceRequestEncoder;
import org.odradek.protocol.produce.ProduceResponseFlyweight;

import static org.odradek.client.core.DutyClock.earlier;

/**
 * The connection to one broker, over which the first batches of the partitions that the broker leads are sent. One
 * request is in flight at a time, with at most one batch of each partition.
 */
final class BrokerSender implements Leaders.Connected
{
    private final int nodeId;
    private final PublishScope scope;
    private final DutyClock clock;
    private final PublisherCounters counters;
    private final BrokerConnection connection;
    private final Backoff reconnectBackoff;
    private final PartitionQueue.Ready ready = new PartitionQueue.Ready();
    private final ProduceRequest request;
    private final ProduceResponseFlyweight response = new ProduceResponseFlyweight();
    private boolean isInFlight;
    private boolean isIntervalEnded;
    private long nextSendNs;
    /** True if a batch that was due did not fit into the last request, or could not be compressed yet. */
    private boolean isLeftOut;
    private boolean isClosingAhead;
    private int seenFailures;
    private boolean isUsed;

    BrokerSender(final int nodeId, final Backoff reconnectBackoff, final PublishScope scope)
    {
        this.nodeId = nodeId;
        this.scope = scope;
        this.reconnectBackoff = reconnectBackoff;
        clock = scope.environment().clock();
        counters = scope.counters();
        request = new ProduceRequest(scope.settings(), scope.environment());
        try
        {
            connection = new BrokerConnection(scope.environment(),
                scope.environment().settings().controlBufferLength(), ApiKey.PRODUCE, reconnectBackoff, 0);
        }
        catch (final RuntimeException | Error ex)
        {
            // Perhaps memory has run out, and a later check tries again.
            request.free();
            throw ex;
        }
        nextSendNs = clock.nowNs();
    }

    @Override
    public int nodeId()
    {
        return nodeId;
    }

    PartitionQueue.Ready ready()
    {
        return ready;
    }

    void clear()
    {
        ready.clear();
        isUsed = false;
    }

    void use()
    {
        isUsed = true;
    }

    boolean isUnused()
    {
        return !isUsed && !isInFlight;
    }

    void address(final BrokerAddress address)
    {
        if (connection.state() == ConnectionState.CLOSED || !connection.address().isSame(address))
        {
            connection.open(nodeId, address);
            lose();
        }
    }

    void endSendInterval()
    {
        isIntervalEnded = true;
    }

    void wake()
    {
        if (connection.state() == ConnectionState.IDLE)
        {
            wantMetadata(PartitionLeaders.Need.REFRESH);
            connection.wake();
        }
    }

    boolean isReady()
    {
        return connection.isReady();
    }

    boolean isFailing()
    {
        return reconnectBackoff.failures() > 0 && connection.state() != ConnectionState.IDLE;
    }

    int doWork(final boolean isPollingSocket)
    {
        int work = connection.doWork(isPollingSocket);
        if (connection.failures() != seenFailures)
        {
            seenFailures = connection.failures();
            wantMetadata(connection.hasFailedRepeatedly() ?
                PartitionLeaders.Need.ERROR : PartitionLeaders.Need.FIRST_ERROR);
            lose();
            work++;
        }
        else if (isInFlight && connection.hasResponse())
        {
            onResponse();
            work++;
        }
        if (!isInFlight)
        {
            return work + send();
        }
        isClosingAhead = scope.pool().isCompressing() && closeAhead();
        assert isConsistent();
        return isClosingAhead ? work + 1 : work;
    }

    private boolean closeAhead()
    {
        boolean isAnyClosed = false;
        for (int i = 0; i < request.count(); i++)
        {
            isAnyClosed |= request.queue(i).closeAhead(false);
        }
        for (int i = 0; i < ready.count(); i++)
        {
            isAnyClosed |= ready.get(i).closeAhead(isLeftOut);
        }
        return isAnyClosed;
    }

    private int send()
    {
        if (ready.count() == 0)
        {
            isIntervalEnded = false;
            return 0;
        }
        wake();
        final long nowNs = clock.nowNs();
        final boolean isOpenDue = isOpenDue(nowNs);
        if (!connection.canSend() || !isOpenDue && !ready.hasFull())
        {
            return 0;
        }
        if (!isCodecKnown())
        {
            refuse();
        }
        request.begin(connection.version(ApiKey.PRODUCE), scope.topics().count());
        isLeftOut = !choose(isOpenDue, nowNs);
        final ProducerIds ids = scope.producerIds();
        final int length = request.count() == 0 ? 0 : request.write(this, ids.producerId(), ids.epoch());
        ready.removeIdle();
        if (length == 0)
        {
            return 0;
        }
        RequestHeaderEncoder.correlationId(request.frame().buffer(), connection.nextCorrelationId());
        isInFlight = true;
        isClosingAhead = scope.pool().isCompressing();
        if (isOpenDue && !isLeftOut)
        {
            isIntervalEnded = false;
            nextSendNs = nowNs + scope.settings().sendIntervalNs();
        }
        counters.add(PublisherCounters.REQUESTS, 1);
        counters.add(PublisherCounters.BYTES_SENT, length);
        counters.add(PublisherCounters.BATCHES_SENT, request.count());
        connection.send(request.frame(), length);
        assert isConsistent();
        return 1;
    }

    private boolean isOpenDue(final long nowNs)
    {
        return isIntervalEnded || nextSendNs - nowNs <= 0 || scope.pool().freeCount() == 0;
    }

    private boolean isCodecKnown()
    {
        return scope.settings().compression() != Compression.ZSTD ||
            connection.version(ApiKey.PRODUCE) >= ProduceRequestEncoder.FIRST_VERSION_WITH_ZSTD;
    }

    private void refuse()
    {
        // A listener may offer records of other partitions, whose turn comes later.
        final int count = ready.count();
        for (int i = 0; i < count; i++)
        {
            if (!ready.get(i).isIdle())
            {
                ready.get(i).fail(FailureReason.REFUSED, ErrorCode.UNSUPPORTED_COMPRESSION_TYPE, false);
            }
        }
    }

    private boolean choose(final boolean isOpenDue, final long nowNs)
    {
        boolean isWhole = true;
        for (int i = 0; i < ready.count(); i++)
        {
            final PartitionQueue queue = ready.get(i);
            if (!queue.isIdle() && (isOpenDue || queue.isFull()) && isSendable(queue, nowNs))
            {
                if (isIdMissing(queue))
                {
                    scope.producerIds().want();
                }
                else
                {
                    isWhole &= request.add(queue);
                }
            }
        }
        return isWhole;
    }

    private boolean isSendable(final PartitionQueue queue, final long nowNs)
    {
        return queue.leaderId() == nodeId && !queue.isBackingOff(nowNs) && isCodecKnown();
    }

    private boolean isIdMissing(final PartitionQueue queue)
    {
        return scope.settings().isIdempotent() && queue.needsIdAfter(scope.producerIds().producerId());
    }

    private void lose()
    {
        if (isInFlight)
        {
            isInFlight = false;
            resendUnanswered();
            expire();
        }
        assert isConsistent();
    }

    private void wantMetadata(final PartitionLeaders.Need need)
    {
        for (int i = 0; i < scope.topics().count(); i++)
        {
            final TopicQueues queues = scope.topics().get(i);
            if (queues.isLedBy(nodeId))
            {
                queues.topic().wantMetadata(need);
            }
        }
    }

    private void resendUnanswered()
    {
        for (int i = 0; i < request.count(); i++)
        {
            final PartitionQueue queue = request.queue(i);
            if (queue.isInFlightWith(this))
            {
                queue.wantMetadata();
                queue.resend(ErrorCode.NONE, true, clock.nowNs());
            }
        }
    }

    private void onResponse()
    {
        final int version = request.version();
        try
        {
            connection.response().checkWhole();
            check(version);
        }
        catch (final WireFormatException ex)
        {
            scope.environment().error("Produce response from broker " + nodeId + " (" + connection.address() +
                ") is malformed: " + ex.getMessage() + "; will reconnect and send again.");
            connection.fail("a response that cannot be read");
            return;
        }
        final int throttleTimeMs = response.throttleTimeMs();
        connection.onSuccess();
        apply(version);
        // The result of a partition that the response leaves out is not known.
        resendUnanswered();
        isInFlight = false;
        // This precedes the listener: if the listener throws an Error, the next request must not find this response.
        connection.release();
        if (ApiKey.PRODUCE.isThrottledByClient(version))
        {
            connection.throttle(throttleTimeMs);
        }
        expire();
        assert isConsistent();
    }

    /**
     * Gives up expired batches before the next request is sent, because a batch in flight does not expire.
     */
    private void expire()
    {
        for (int i = 0; i < request.count(); i++)
        {
            request.queue(i).expire(clock.nowNs(), scope.settings().deliveryTimeoutNs());
        }
    }

    /** Checks the whole response before any partition changes, and stores the addresses of new leaders. */
    private void check(final int version)
    {
        boolean hasNewLeader = false;
        boolean isAnyMoved = false;
        wrap(version);
        while (response.nextPartition())
        {
            hasNewLeader |= response.currentLeaderId() >= 0 && isNewLeader(answeredQueue(version));
            if (response.partitionErrorCode() == ErrorCode.NONE && response.baseOffset() < -1)
            {
                throw new WireFormatException("base offset " + response.baseOffset() + " of partition " +
                    response.partition() + " where -1 or more was expected");
            }
        }
        final NodeEndpointsFlyweight endpoints = response.nodeEndpoints();
        while (hasNewLeader && endpoints.next())
        {
            // An impossible address is ignored, because metadata will contain another address.
            if (BrokerAddress.isPossible(
                response.buffer(), endpoints.hostIndex(), endpoints.hostLength(), endpoints.port()))
            {
                isAnyMoved |= scope.brokers().put(endpoints.nodeId(), response.buffer().getStringWithoutLengthUtf8(
                    endpoints.hostIndex(), endpoints.hostLength()), endpoints.port());
            }
        }
        if (isAnyMoved)
        {
            // The next metadata contains the same addresses, so it does not cause this.
            scope.topics().changeAssignment();
        }
    }

    /** Returns the queue of the partition that the response is at, or null if there is none. */
    private PartitionQueue answeredQueue(final int version)
    {
        final TopicQueues queues = scope.topics().find(response, version);
        return queues != null && queues.has(response.partition()) ? queues.get(response.partition()) : null;
    }

    private boolean isNewLeader(final PartitionQueue queue)
    {
        return queue != null && response.currentLeaderEpoch() > queue.leaderEpoch();
    }

    private void wrap(final int version)
    {
        response.wrap(connection.response().memory().buffer(), BrokerConnection.BODY_INDEX,
            connection.response().received(), version);
    }

    private void apply(final int version)
    {
        wrap(version);
        while (response.nextPartition())
        {
            final PartitionQueue queue = answeredQueue(version);
            if (queue != null && queue.isInFlightWith(this))
            {
                apply(queue, response.partitionErrorCode());
            }
        }
    }

    private void apply(final PartitionQueue queue, final short errorCode)
    {
        final long nowNs = clock.nowNs();
        switch (ProduceErrors.action(errorCode, scope.settings().isIdempotent()))
        {
            case ACKNOWLEDGE -> queue.acknowledge(
                errorCode == ErrorCode.NONE ? response.baseOffset() : PublisherListener.NULL_OFFSET);
            case RESEND -> queue.resend(errorCode, false, nowNs);
            case RESEND_WRITTEN -> queue.resend(errorCode, true, nowNs);
            case BUMP_EPOCH -> queue.bumpEpoch(errorCode, nowNs);
            case FIND_LEADER ->
            {
                // A leader may send this after the append, too, if its replicas were late or its disk has failed.
                queue.wantMetadata();
                queue.resend(errorCode, true, nowNs);
                if (response.currentLeaderId() >= 0 && isNewLeader(queue))
                {
                    queue.leader(response.currentLeaderId(), response.currentLeaderEpoch());
                }
            }
            case FAIL_WRITTEN -> refuse(queue, errorCode, true);
            default -> refuse(queue, errorCode, false);
        }
    }

    private void refuse(final PartitionQueue queue, final short errorCode, final boolean isMaybeWritten)
    {
        queue.refuse(errorCode, isMaybeWritten, response.refusedRecord(), response.messageLength() <= 0 ? null :
            PrintableText.of(response.buffer(), response.messageIndex(), response.messageLength()));
    }

    /** Returns the time at which there is work even if no byte arrives, or {@code otherwiseNs} if that is earlier. */
    long nextDeadlineNs(final long otherwiseNs)
    {
        long nextNs = connection.nextDeadlineNs(otherwiseNs);
        final long nowNs = clock.nowNs();
        if (ready.count() > 0 && connection.state() == ConnectionState.IDLE)
        {
            return nowNs;
        }
        if (isInFlight && isClosingAhead)
        {
            return nowNs;
        }
        if (isInFlight || !connection.canSend())
        {
            return nextNs;
        }
        final boolean isOpenDue = isOpenDue(nowNs);
        for (int i = 0; i < ready.count(); i++)
        {
            final PartitionQueue queue = ready.get(i);
            if (!queue.isIdle())
            {
                long dueNs = isOpenDue || queue.isFull() ? nowNs : nextSendNs;
                dueNs = queue.isBackingOff(nowNs) && queue.backoffEndNs() - dueNs > 0 ? queue.backoffEndNs() : dueNs;
                final boolean isWaiting = isIdMissing(queue) && scope.producerIds().isWanted();
                nextNs = isWaiting ? nextNs : earlier(dueNs, nextNs);
            }
        }
        return nextNs;
    }

    void free()
    {
        connection.free();
        request.free();
    }

    private boolean isConsistent()
    {
        // A request in flight has batches.
        boolean isConsistent = !isInFlight || request.count() > 0;
        for (int i = 0; i < request.count() && isConsistent; i++)
        {
            // Without a request in flight, no batch waits for an answer of this broker.
            isConsistent = isInFlight || !request.queue(i).isInFlightWith(this);
        }
        return isConsistent;
    }

    @Override
    public String toString()
    {
        return connection + (isInFlight ? ", " + request.count() + " batches in flight" : "") +
            (ready.count() == 0 ? "" : ", " + ready.count() + " partitions ready");
    }
}
