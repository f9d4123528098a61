// SPDX-License-Identifier: Apache-2.0
package org.odradek.simulation;

import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.message.ProduceRequestData.PartitionProduceData;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.message.ProduceResponseData.PartitionProduceResponse;
import org.apache.kafka.common.message.RequestHeaderData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.DefaultRecordBatch;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.Record;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.apache.kafka.common.requests.AbstractResponse;
import org.odradek.harness.model.ModelTopic;
import org.odradek.publisher.Compression;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Checks the Produce requests of a publisher: one request to a broker, and one batch of a partition, is in flight at a
 * time. A batch is not sent again before its backoff unless to another broker, a sequence always stands for the same
 * bytes, and requests with batches that are not full keep the interval. Nothing is sent on a connection that the broker
 * throttles.
 */
final class PublishTraffic implements Observer
{
    private static final String BACKOFF = "retry backoff";
    private static final String FLIGHT = "one in flight";
    private static final String SEQUENCE = "sequence";
    private static final String THROTTLE = "throttle";
    /** A request is sent a while after the beginning of its duty cycle. */
    private static final long CYCLE_NS = 100_000;
    private static final int CORRELATION_END = 8;
    private static final long NS_PER_MS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long NEVER_NS = Long.MAX_VALUE;
    /** What a request has beside its batches, at most. */
    private static final int FRAMING = 1_024;

    /** The numbers of a batch. */
    private record Numbers(int partition, long producerId, short epoch, int sequence)
    {
    }

    /** What is known of a partition. */
    private static final class Sent
    {
        /** The connection with an unanswered request, or null. */
        private Link link;
        private PublishedRecord first;
        private int brokerId = -1;
        private int failures;
        private long failedNs;
        /** Since the last request, the publisher was told that another broker leads the partition. */
        private boolean isOtherLeader;
    }

    /** The last requests to a broker. */
    private static final class Sending
    {
        /** When the last one with a batch that was not full was sent, or null. */
        private Long openNs;
        private long lastNs;
        /** That of the batches of the last one, without compression. */
        private long length;
    }

    /** A connection with the request that is not answered. */
    private static final class Requested
    {
        private final ApiKeys api;
        private final short version;
        private final Map<Integer, PublishedRecord> parts = new HashMap<>();

        Requested(final ApiKeys api, final short version)
        {
            this.api = api;
            this.version = version;
        }
    }

    private final PublishWorld world;
    private final PublishedBatch batches;
    private final Map<Integer, Sent> sent = new HashMap<>();
    private final Map<Link, Requested> links = new HashMap<>();
    private final Map<Numbers, byte[]> bytes = new HashMap<>();
    private final Map<Integer, Sending> sendings = new HashMap<>();
    /** When the publisher could have read its clock last: a lookup of a name takes time in the middle of its work. */
    private long awaitedNs;
    /** When the last request to a broker was answered or its connection closed, or {@link #NEVER_NS} before that. */
    private final Map<Integer, Long> endNs = new HashMap<>();
    /** Until when a broker throttles a connection. */
    private final Map<Link, Long> throttledNs = new HashMap<>();

    PublishTraffic(final PublishWorld world)
    {
        this.world = world;
        batches = new PublishedBatch(world);
    }

    /** A publisher was opened: it knows nothing of the one before. */
    void onOpen()
    {
        sent.clear();
        bytes.clear();
        sendings.clear();
        endNs.clear();
    }

    @Override
    public void onRequest(final Link link, final ByteBuffer frame)
    {
        final ApiKeys api = ApiKeys.forId(frame.getShort(frame.position()));
        final Requested requested = new Requested(api, frame.getShort(frame.position() + Short.BYTES));
        if (!world.network.links().contains(link))
        {
            return;     // the publisher has closed the connection since
        }
        links.put(link, requested);
        checkThrottle(link, api);
        if (api != ApiKeys.PRODUCE)
        {
            return;
        }
        final ByteBufferAccessor reader = new ByteBufferAccessor(frame.duplicate());
        new RequestHeaderData(reader, ApiKeys.PRODUCE.requestHeaderVersion(requested.version));
        final ProduceRequestData request = new ProduceRequestData(reader, requested.version);
        checkFlight(link);
        request.topicData().forEach((topic) -> topic.partitionData().forEach((part) ->
            onPart(link, requested, key(topic.name(), topic.topicId(), part.index()), part)));
        // This reads the records, which onPart has checked.
        checkInterval(link, request);
    }

    /** Requests and responses have the name of a topic or its id. */
    private int key(final String name, final Uuid id, final int partition)
    {
        return world.key(world.topics.stream().filter((topic) -> topic.id().equals(id)).findFirst()
            .map(ModelTopic::name).orElse(name), partition);
    }

    /** As Kafka's own clients do, the publisher authenticates again whatever the broker throttles. */
    private void checkThrottle(final Link link, final ApiKeys api)
    {
        final long restNs = throttledNs.getOrDefault(link, 0L) - world.clock.nowNs();
        world.check(restNs <= NS_PER_MS || api == ApiKeys.SASL_HANDSHAKE || api == ApiKeys.SASL_AUTHENTICATE, THROTTLE,
            "no " + api + " request on " + link + " for another " + restNs / NS_PER_MS +
            " ms, because the broker throttles it");
    }

    /** A connection that the publisher has closed will bring no answer. */
    private void checkFlight(final Link link)
    {
        final int broker = link.host.broker.id();
        final Long lastNs = endNs.put(broker, NEVER_NS);
        world.check(lastNs == null || link.requestNs() >= lastNs, FLIGHT, "no request to broker " + broker + " over " +
            link + " before the last one is answered");
    }

    private void checkInterval(final Link link, final ProduceRequestData request)
    {
        final int broker = link.host.broker.id();
        final Sending sending = sendings.computeIfAbsent(broker, (id) -> new Sending());
        long length = 0;
        long openLength = 0;
        for (final ProduceRequestData.TopicProduceData topic : request.topicData())
        {
            for (final PartitionProduceData part : topic.partitionData())
            {
                final RecordBatch batch = ((MemoryRecords)part.records()).batches().iterator().next();
                final long batchLength = rawLength(batch);
                length += batchLength;
                final boolean isOpen = !isFull(key(topic.name(), topic.topicId(), part.index()), batch, link);
                openLength = Math.max(openLength, isOpen ? batchLength : 0);
            }
        }
        final long leastNs = TimeUnit.MICROSECONDS.toNanos(world.publishing.sendIntervalUs);
        if (openLength > 0 && sending.openNs != null && sending.openNs > world.user.allDueNs() &&
            world.phase() == Phase.FLOWING && !isLeftOut(sending, openLength))
        {
            world.check(link.requestNs() - sending.openNs >= leastNs - CYCLE_NS, "interval",
                "no batch that is not full to be sent to broker " + broker + " sooner than " + leastNs +
                " ns after the last, but after " + (link.requestNs() - sending.openNs));
        }
        sending.openNs = openLength > 0 ? (Long)link.requestNs() : sending.openNs;
        sending.lastNs = link.requestNs();
        sending.length = length;
    }

    /** Whether the last request may have had no room for a batch, or the publisher had compressed enough for a call. */
    private boolean isLeftOut(final Sending sending, final long length)
    {
        final int batchLength = world.publishing.batchLength;
        return world.publishing.compression == Compression.NONE ? sending.length + length + FRAMING > batchLength :
            sending.lastNs <= world.user.compressedNs() || length > batchLength / 2;
    }

    /** Whether another record as long as the longest one does not fit, or one was accepted after it. */
    private boolean isFull(final int partition, final RecordBatch batch, final Link link)
    {
        int longest = 0;
        PublishedRecord last = null;
        for (final Record record : batch)
        {
            longest = Math.max(longest, record.sizeInBytes());
            last = PublishedRecord.of(record.value());
        }
        final PublishedTrack track = world.ledger.track(partition);
        return rawLength(batch) + longest > world.publishing.batchLength || last == null ||
            last.position() <= track.reported || track.isFollowed(last.position(), link.requestNs());
    }

    /** The length that a batch had before it was compressed. */
    private static long rawLength(final RecordBatch batch)
    {
        long length = DefaultRecordBatch.RECORD_BATCH_OVERHEAD;
        for (final Record record : batch)
        {
            length += record.sizeInBytes();
        }
        return length;
    }

    /** Whether a broker throttles a connection. */
    boolean isThrottled()
    {
        return throttledNs.values().stream().anyMatch((untilNs) -> untilNs > world.clock.nowNs());
    }

    private void onPart(
        final Link link, final Requested requested, final int partition, final PartitionProduceData part)
    {
        final RecordBatch batch = ((MemoryRecords)part.records()).batches().iterator().next();
        final PublishedRecord first = batches.check((MemoryRecords)part.records());
        final Sent state = sent.computeIfAbsent(partition, (key) -> new Sent());
        // What was given up may still be on its way.
        world.check(state.link == null || world.ledger.isReported(state.first), FLIGHT,
            "no other batch of partition " + partition + " to be sent over " + link + " while " +
            state.first + " is in flight over " + state.link);
        final int brokerId = link.host.broker.id();
        final boolean isAgain = first.equals(state.first) && brokerId == state.brokerId;
        if (isAgain && state.failures > 0 && !state.isOtherLeader)
        {
            final long leastNs = (long)(RetryOracle.LEAST * NS_PER_MS * RetryOracle.backoffMs(
                world.scenario, state.failures, world.scenario.retryBackoffMaxMs));
            final long waitedNs = link.requestNs() - state.failedNs;
            world.check(waitedNs >= leastNs, BACKOFF, "the batch of " + first + " not to be sent to broker " +
                brokerId + " again sooner than " + leastNs / 1e6 + " ms after failure " + state.failures +
                ", but it was after " + waitedNs / 1e6);
        }
        state.failures = first.equals(state.first) ? state.failures : 0;
        state.isOtherLeader = false;
        state.link = link;
        state.first = first;
        state.brokerId = brokerId;
        requested.parts.put(partition, first);
        if (batch.hasProducerId())
        {
            checkBytes(partition, part, batch);
            world.ids.onBatch(partition, batch.producerEpoch());
        }
    }

    /** Brokers know a batch again by its numbers only. */
    private void checkBytes(final int partition, final PartitionProduceData part, final RecordBatch batch)
    {
        final ByteBuffer buffer = ((MemoryRecords)part.records()).buffer().duplicate();
        final byte[] now = new byte[buffer.remaining()];
        buffer.get(now);
        final byte[] before = bytes.put(new Numbers(
            partition, batch.producerId(), batch.producerEpoch(), batch.baseSequence()), now);
        world.check(before == null || Arrays.equals(before, now) || !world.ledger.isInDoubt(
            PublishedRecord.of(MemoryRecords.readableRecords(ByteBuffer.wrap(before)).records().iterator().next()
            .value())), SEQUENCE, "the sequence " + batch.baseSequence() + " of epoch " + batch.producerEpoch() +
            " of partition " + partition + " to stand for the same bytes");
    }

    @Override
    public void onResponse(final Link link, final ByteBuffer frame)
    {
        final Requested requested = links.get(link);
        final boolean isWhole =
            frame.remaining() > CORRELATION_END && frame.getInt(0) == frame.remaining() - Integer.BYTES;
        if (requested == null || !isWhole)
        {
            return;     // the connection will be closed
        }
        final ByteBufferAccessor reader = new ByteBufferAccessor(frame.duplicate().position(
            CORRELATION_END + requested.api.responseHeaderVersion(requested.version)));
        try
        {
            final AbstractResponse response =
                AbstractResponse.parseResponse(requested.api, reader, requested.version);
            if (response.shouldClientThrottle(requested.version))
            {
                throttledNs.put(link, world.clock.nowNs() + response.throttleTimeMs() * NS_PER_MS);
            }
            if (response.data() instanceof MetadataResponseData metadata)
            {
                onLeaders(metadata);
            }
            else if (response.data() instanceof ProduceResponseData produced)
            {
                end(link, requested, answers(produced), world.clock.nowNs());
            }
            links.remove(link);
        }
        catch (final RuntimeException ignore)
        {
            // A frame that lies: the connection will be closed.
        }
    }

    private void onLeaders(final MetadataResponseData metadata)
    {
        metadata.topics().forEach((topic) -> topic.partitions().forEach((partition) ->
        {
            final Sent state = sent.get(world.key(topic.name(), partition.partitionIndex()));
            if (state != null)
            {
                state.isOtherLeader |= partition.leaderId() != state.brokerId;
            }
        }));
    }

    private Map<Integer, PartitionProduceResponse> answers(final ProduceResponseData response)
    {
        final Map<Integer, PartitionProduceResponse> answers = new HashMap<>();
        response.responses().forEach((topic) -> topic.partitionResponses().forEach((part) ->
            answers.put(key(topic.name(), topic.topicId(), part.index()), part)));
        return answers;
    }

    /** The publisher has closed the connection: there is no answer. */
    @Override
    public void onClose(final Link link)
    {
        throttledNs.remove(link);
        final Requested requested = links.remove(link);
        if (requested != null)
        {
            end(link, requested, Map.of(), awaitedNs);
        }
    }

    @Override
    public void onAwait(final long startNs, final long timeoutNs, final int ready)
    {
        awaitedNs = world.clock.nowNs();
    }

    private void end(
        final Link link,
        final Requested requested,
        final Map<Integer, PartitionProduceResponse> answers,
        final long timeNs)
    {
        if (requested.api == ApiKeys.PRODUCE)
        {
            endNs.put(link.host.broker.id(), world.clock.nowNs());
        }
        requested.parts.forEach((partition, first) ->
        {
            final Sent state = sent.get(partition);
            if (state != null && state.link == link)
            {
                final PartitionProduceResponse answer = answers.get(partition);
                final Errors error = answer == null ? Errors.UNKNOWN_SERVER_ERROR : Errors.forCode(answer.errorCode());
                final boolean isAccepted = error == Errors.NONE || error == Errors.DUPLICATE_SEQUENCE_NUMBER;
                state.link = null;
                state.failures = isAccepted ? 0 : state.failures + 1;
                state.failedNs = timeNs;
                state.isOtherLeader |= answer != null && answer.currentLeader().leaderId() >= 0;
            }
        });
    }
}
