// SPDX-License-Identifier: Apache-2.0
package org.odradek.simulation;

import org.apache.kafka.common.message.ApiMessageType;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.FetchResponseData.FetchableTopicResponse;
import org.apache.kafka.common.message.FetchResponseData.PartitionData;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.message.SaslAuthenticateResponseData;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.odradek.harness.model.BrokerHooks;
import org.odradek.harness.model.ModelRequest;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The faults inside requests and responses. They are prepared by the schedule, and take effect with the next request or
 * response that they fit.
 */
final class WireFaults implements BrokerHooks
{
    private static final Set<FaultKind> KINDS = EnumSet.of(
        FaultKind.CORRUPT_BATCH, FaultKind.LYING_FRAME, FaultKind.QUOTA, FaultKind.CONTROL_QUOTA, FaultKind.ERROR_CODE,
        FaultKind.RESPONSE_LOST, FaultKind.RESPONSE_DELAYED, FaultKind.REQUEST_LATE, FaultKind.PARTITION_LEFT_OUT,
        FaultKind.IMPOSSIBLE_ADDRESS, FaultKind.ID_REFUSED);
    private static final Errors[] ERRORS = {
        Errors.NOT_LEADER_OR_FOLLOWER, Errors.UNKNOWN_TOPIC_OR_PARTITION, Errors.LEADER_NOT_AVAILABLE,
        Errors.KAFKA_STORAGE_ERROR, Errors.OFFSET_NOT_AVAILABLE, Errors.REPLICA_NOT_AVAILABLE,
        Errors.UNKNOWN_LEADER_EPOCH, Errors.UNKNOWN_SERVER_ERROR};
    /** Those before a batch is appended: most are retriable. */
    private static final Errors[] PRODUCE_ERRORS = {
        Errors.NOT_LEADER_OR_FOLLOWER, Errors.UNKNOWN_TOPIC_OR_PARTITION, Errors.KAFKA_STORAGE_ERROR,
        Errors.NOT_ENOUGH_REPLICAS, Errors.CORRUPT_MESSAGE, Errors.UNKNOWN_SERVER_ERROR, Errors.MESSAGE_TOO_LARGE,
        Errors.INVALID_RECORD, Errors.TOPIC_AUTHORIZATION_FAILED};
    /** Requests that are rare, and that a fault waits for; null is any request. */
    private static final Map<FaultKind, ApiMessageType[]> TARGETS = Map.of(
        FaultKind.CONTROL_QUOTA, new ApiMessageType[]{null, ApiMessageType.FIND_COORDINATOR},
        FaultKind.PARTITION_LEFT_OUT, new ApiMessageType[]{
            null, ApiMessageType.OFFSET_COMMIT, ApiMessageType.OFFSET_FETCH},
        FaultKind.IMPOSSIBLE_ADDRESS, new ApiMessageType[]{null, ApiMessageType.FIND_COORDINATOR});
    private static final int MAX_THROTTLE_MS = 3_000;
    private static final long MIN_DELAY_NS = 1_000_000;
    private static final long MAX_DELAY_NS = 3_000_000_000L;
    private static final long MAX_LATE_NS = 60_000_000_000L;
    private static final int CORRELATION_INDEX = 4;
    private static final int BODY_INDEX = 8;
    /** The last byte before those that the checksum of a batch covers. */
    private static final int CHECKED_INDEX = 21;
    private static final int HUGE_LENGTH = 1 << 30;

    private final SimulatedCluster world;
    private final int[] prepared = new int[FaultKind.values().length];
    private final ApiMessageType[] targets = new ApiMessageType[FaultKind.values().length];
    private final Draw draw;
    private final Draw lateDraw;
    private final Set<ModelRequest> late = new LinkedHashSet<>();
    /** Until then half of the Produce requests are late. */
    private long lateUntilNs;
    private final boolean isUnreadable;

    WireFaults(final SimulatedCluster world)
    {
        this.world = world;
        draw = new Draw(world.scenario.seed, "wire");
        lateDraw = new Draw(world.scenario.seed, "late requests");
        // With authentication, a second version probe would be one too many.
        isUnreadable = world.scenario.isOn(Feature.UNREADABLE_REFUSALS) && draw.oneIn(4) && world.sasl == null;
        world.cluster.hooks(this);
    }

    static boolean isWire(final FaultKind kind)
    {
        return KINDS.contains(kind);
    }

    /** Returns false: the fault takes effect later. One that no response has fitted then fits any. */
    boolean prepare(final FaultKind kind)
    {
        if (kind == FaultKind.REQUEST_LATE)
        {
            lateUntilNs = world.clock.nowNs() + lateDraw.between(MIN_DELAY_NS, MAX_LATE_NS);
            return false;
        }
        prepared[kind.ordinal()]++;
        if (TARGETS.containsKey(kind))
        {
            final ApiMessageType target = draw.pick(TARGETS.get(kind));
            targets[kind.ordinal()] = prepared[kind.ordinal()] == 1 ? target : null;
        }
        return false;
    }

    /** Drops what is prepared, and executes what is late. */
    void end()
    {
        Arrays.fill(prepared, 0);
        lateUntilNs = world.clock.nowNs();
        List.copyOf(late).forEach(this::execute);
    }

    private void execute(final ModelRequest request)
    {
        if (late.remove(request))
        {
            world.tookEffect(FaultKind.REQUEST_LATE);
            request.broker().execute(request);
            world.network.serve();
        }
    }

    private boolean isPrepared(final FaultKind kind, final ModelRequest request)
    {
        final ApiMessageType target = targets[kind.ordinal()];
        return prepared[kind.ordinal()] > 0 && (target == null || target == request.type());
    }

    private boolean take(final FaultKind kind)
    {
        if (prepared[kind.ordinal()] == 0)
        {
            return false;
        }
        prepared[kind.ordinal()]--;
        world.tookEffect(kind);
        return true;
    }

    @Override
    public void onRequest(final ModelRequest request)
    {
        if (request.type() == ApiMessageType.PRODUCE && world.clock.nowNs() < lateUntilNs && lateDraw.oneIn(2))
        {
            postpone(request);
            return;
        }
        if (request.type() == ApiMessageType.METADATA && request.broker().isStale())
        {
            world.tookEffect(FaultKind.STALE_METADATA);
        }
        if (take(FaultKind.RESPONSE_LOST))
        {
            request.dropResponse();
        }
        if (take(FaultKind.RESPONSE_DELAYED))
        {
            request.delayResponse(draw.logBetween(MIN_DELAY_NS, MAX_DELAY_NS));
        }
        final FaultKind quota = request.type() == ApiMessageType.FETCH ? FaultKind.QUOTA : FaultKind.CONTROL_QUOTA;
        final boolean isAuthentication =
            request.type() == ApiMessageType.SASL_HANDSHAKE || request.type() == ApiMessageType.SASL_AUTHENTICATE;
        if (!isAuthentication && isPrepared(quota, request) && take(quota))
        {
            request.throttle((int)draw.logBetween(1, MAX_THROTTLE_MS));
        }
    }

    /** Executes the request later, perhaps after later ones. There is no response, and perhaps the connection ends. */
    private void postpone(final ModelRequest request)
    {
        late.add(request);
        world.clock.after(lateDraw.between(MIN_DELAY_NS, MAX_LATE_NS), () -> execute(request));
        if (lateDraw.oneIn(2))
        {
            request.connection().close();
        }
        else
        {
            request.respond(new ProduceResponseData());
            request.dropResponse();
        }
    }

    @Override
    public Errors partitionError(final ModelRequest request, final String topic, final int partition)
    {
        if (request.type() == ApiMessageType.PRODUCE)
        {
            // The others come after the append.
            return prepared[FaultKind.ERROR_CODE.ordinal()] > 0 && draw.oneIn(2) && take(FaultKind.ERROR_CODE) ?
                draw.pick(PRODUCE_ERRORS) : Errors.NONE;
        }
        return take(FaultKind.ERROR_CODE) ? draw.pick(ERRORS) : Errors.NONE;
    }

    @Override
    public void onAnswer(final ModelRequest request, final ApiMessage response)
    {
        if (prepared[FaultKind.ERROR_CODE.ordinal()] > 0 && FalseAnswers.failAppended(response, draw))
        {
            take(FaultKind.ERROR_CODE);
        }
        if (prepared[FaultKind.ID_REFUSED.ordinal()] > 0 && FalseAnswers.refuseId(response))
        {
            take(FaultKind.ID_REFUSED);
        }
        world.onAnswer(request, response);
        if (response instanceof SaslAuthenticateResponseData answer && answer.errorCode() != Errors.NONE.code())
        {
            world.tookEffect(FaultKind.PASSWORD_CHANGED);
        }
        if (isPrepared(FaultKind.PARTITION_LEFT_OUT, request) && FalseAnswers.leaveOut(response, draw))
        {
            take(FaultKind.PARTITION_LEFT_OUT);
        }
        if (isPrepared(FaultKind.IMPOSSIBLE_ADDRESS, request) && FalseAnswers.misdirect(response, draw))
        {
            take(FaultKind.IMPOSSIBLE_ADDRESS);
        }
    }

    @Override
    public ByteBuffer onResponse(final ModelRequest request, final ByteBuffer frame)
    {
        if (request.type() == ApiMessageType.API_VERSIONS && request.version() > 0 &&
            isUnreadable && request.broker().id() % 2 == 0)
        {
            return FalseAnswers.refuseUnreadably(frame);
        }
        final boolean isCorrupted = request.type() == ApiMessageType.FETCH &&
            prepared[FaultKind.CORRUPT_BATCH.ordinal()] > 0 && corrupt(request, frame);
        if (!isCorrupted && take(FaultKind.LYING_FRAME))
        {
            world.onLie(request);
            return lie(frame);
        }
        return frame;
    }

    /** Changes a byte of the first batch of some partition, where its checksum covers it. */
    private boolean corrupt(final ModelRequest request, final ByteBuffer frame)
    {
        final int headerLength = BODY_INDEX + ApiMessageType.FETCH.responseHeaderVersion(request.version());
        final FetchResponseData response = new FetchResponseData(
            new ByteBufferAccessor(frame.duplicate().position(headerLength)), request.version());
        for (final FetchableTopicResponse topic : response.responses())
        {
            for (final PartitionData partition : topic.partitions())
            {
                final ByteBuffer records = partition.records() == null ? ByteBuffer.allocate(0) :
                    ((MemoryRecords)partition.records()).buffer();
                final int length = records.remaining() < CHECKED_INDEX ? 0 :
                    Math.min(records.remaining(), 12 + records.getInt(records.position() + 8));
                if (length > CHECKED_INDEX)
                {
                    take(FaultKind.CORRUPT_BATCH);
                    final int index = records.position() + CHECKED_INDEX + draw.below(length - CHECKED_INDEX);
                    records.put(index, (byte)(records.get(index) ^ 1 << draw.below(8)));
                    world.onCorruption(partition.partitionIndex(), records.getLong(records.position()));
                    return true;
                }
            }
        }
        return false;
    }

    /** Returns a frame that no client may believe: too short for its content, or with an impossible length or id. */
    private ByteBuffer lie(final ByteBuffer frame)
    {
        switch (draw.below(5))
        {
            case 0:
                return frame.putInt(0, -1 - draw.below(HUGE_LENGTH));
            case 1:
                return frame.putInt(0, HUGE_LENGTH + draw.below(HUGE_LENGTH));
            case 2:
                return frame.putInt(CORRELATION_INDEX, frame.getInt(CORRELATION_INDEX) ^ 1 << draw.below(31));
            case 3:
                return frame.putInt(0, draw.below(Integer.BYTES));
            default:
                final int length = BODY_INDEX + draw.below(Math.max(1, frame.limit() - BODY_INDEX));
                return frame.putInt(0, length - Integer.BYTES).limit(length);
        }
    }
}
