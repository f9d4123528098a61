// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.support;

import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor;
import org.apache.kafka.clients.consumer.internals.ConsumerProtocol;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.message.ApiMessageType;
import org.apache.kafka.common.message.HeartbeatRequestData;
import org.apache.kafka.common.message.HeartbeatResponseData;
import org.apache.kafka.common.message.JoinGroupRequestData;
import org.apache.kafka.common.message.JoinGroupResponseData;
import org.apache.kafka.common.message.JoinGroupResponseData.JoinGroupResponseMember;
import org.apache.kafka.common.message.LeaveGroupRequestData;
import org.apache.kafka.common.message.LeaveGroupResponseData;
import org.apache.kafka.common.message.OffsetCommitRequestData;
import org.apache.kafka.common.message.SyncGroupRequestData;
import org.apache.kafka.common.message.SyncGroupResponseData;
import org.odradek.consumer.GroupSettings;
import org.odradek.consumer.handler.GroupProtocol;
import org.odradek.harness.Answer;
import org.odradek.harness.model.ModelPeer;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * The coordinator of a classic group, at a {@link OneTopicBroker}. Another member leads, and assigns what the test
 * says; or ours leads with the members that the test adds. It keeps each request as a line, such as "join m1", "sync
 * 3", "heartbeat 3" or "commit 3 m1 {0=7}".
 */
public final class ScriptedClassicGroup extends ScriptedCoordinator
{
    public static final String GROUP = "scripted-classic";

    private final Map<ApiMessageType, Deque<Function<ModelPeer.Call, Answer>>> answers =
        new EnumMap<>(ApiMessageType.class);
    private final List<JoinGroupResponseMember> others = new ArrayList<>();
    private SyncGroupRequestData lastSync;
    private JoinGroupRequestData lastJoin;
    private int generation;
    private int ids;
    private boolean isRebalancing;
    private boolean isLeading;
    private boolean isAssignmentSkipped;
    private int[] target = {0, 1};

    public ScriptedClassicGroup()
    {
        broker().maxVersion(ApiMessageType.CONSUMER_GROUP_HEARTBEAT, -1);
        script(ApiMessageType.JOIN_GROUP, this::join);
        script(ApiMessageType.SYNC_GROUP, this::sync);
        script(ApiMessageType.HEARTBEAT, this::heartbeat);
        script(ApiMessageType.LEAVE_GROUP, this::leave);
        script(ApiMessageType.OFFSET_COMMIT, this::commit);
    }

    private void script(final ApiMessageType type, final Function<ModelPeer.Call, Answer> script)
    {
        answers.put(type, new ArrayDeque<>());
        broker().maxVersion(type, type.highestSupportedVersion(true));
        broker().script(type, (call) ->
        {
            synchronized (this)
            {
                final Answer usual = script.apply(call);
                final Function<ModelPeer.Call, Answer> next = answers.get(type).poll();
                final Answer scripted = next == null ? null : next.apply(call);
                return scripted == null ? usual : scripted;
            }
        });
    }

    /** Settings with which heartbeats are frequent. */
    public static GroupSettings settings()
    {
        return new GroupSettings(GROUP).protocol(GroupProtocol.CLASSIC).heartbeatIntervalMs(20);
    }

    public void startStable()
    {
        start(settings());
        untilStable();
    }

    /** Has heartbeats refused until the member joins again; then it is assigned these partitions. */
    public synchronized void rebalance(final int... partitions)
    {
        isRebalancing = true;
        target = partitions;
    }

    /** Has ours lead from its next join on, with another member besides. */
    public synchronized void lead(final String memberId, final String instanceId, final String... topics)
    {
        lead(memberId, instanceId, subscription(List.of(topics)));
    }

    /** As the other method, with any metadata. */
    public synchronized void lead(final String memberId, final String instanceId, final byte[] metadata)
    {
        isLeading = true;
        others.add(new JoinGroupResponseMember().setMemberId(memberId).setGroupInstanceId(instanceId)
            .setMetadata(metadata));
    }

    public synchronized void skipAssignment()
    {
        isAssignmentSkipped = true;
    }

    private static byte[] subscription(final List<String> topics)
    {
        final ByteBuffer bytes =
            ConsumerProtocol.serializeSubscription(new ConsumerPartitionAssignor.Subscription(topics));
        return Arrays.copyOfRange(bytes.array(), bytes.arrayOffset() + bytes.position(),
            bytes.arrayOffset() + bytes.limit());
    }

    public synchronized JoinGroupRequestData lastJoin()
    {
        return lastJoin;
    }

    /** The last SyncGroup request that held assignments, by member. */
    public synchronized Map<String, List<TopicPartition>> assignments()
    {
        return lastSync == null ? Map.of() : lastSync.assignments().stream().collect(Collectors.toMap(
            (assignment) -> assignment.memberId(), (assignment) -> ConsumerProtocol.deserializeAssignment(
                ByteBuffer.wrap(assignment.assignment())).partitions()));
    }

    /** Answers the next request of a type with the result of a function, or as usual if that is null. */
    public synchronized void answerNext(final ApiMessageType type, final Function<ModelPeer.Call, Answer> answer)
    {
        answers.get(type).add(answer);
    }

    /** Answers the next requests of a type with errors. */
    public void failNext(final ApiMessageType type, final int... codes)
    {
        for (final int code : codes)
        {
            answerNext(type, (call) -> call.answer(switch (type)
            {
                case JOIN_GROUP -> new JoinGroupResponseData().setErrorCode((short)code)
                    .setProtocolName("").setGenerationId(-1);
                case SYNC_GROUP -> new SyncGroupResponseData().setErrorCode((short)code);
                case HEARTBEAT -> new HeartbeatResponseData().setErrorCode((short)code);
                case LEAVE_GROUP -> new LeaveGroupResponseData().setErrorCode((short)code);
                default -> committed((OffsetCommitRequestData)call.request(), code);
            }));
        }
    }

    /** The requests except heartbeats. */
    public List<String> changes()
    {
        return requests().stream().filter((line) -> !line.startsWith("heartbeat")).toList();
    }

    private Answer join(final ModelPeer.Call call)
    {
        lastJoin = (JoinGroupRequestData)call.request();
        keep(("join " + lastJoin.memberId()).trim());
        final boolean isNew = lastJoin.memberId().isEmpty();
        final String id = isNew ? "m" + ++ids : lastJoin.memberId();
        final JoinGroupResponseData data = new JoinGroupResponseData().setMemberId(id).setProtocolName("range");
        if (isNew && lastJoin.groupInstanceId() == null)
        {
            return call.answer(data.setErrorCode((short)79).setGenerationId(-1).setProtocolName(""));
        }
        isRebalancing = false;
        data.setGenerationId(++generation).setProtocolType("consumer").setLeader(isLeading ? id : "other");
        data.setSkipAssignment(isAssignmentSkipped && call.version() >= 9);
        if (isLeading)
        {
            data.members().addAll(others.stream().map(JoinGroupResponseMember::duplicate).toList());
            data.members().add(new JoinGroupResponseMember().setMemberId(id)
                .setGroupInstanceId(lastJoin.groupInstanceId())
                .setMetadata(lastJoin.protocols().iterator().next().metadata()));
        }
        return call.answer(data);
    }

    private Answer sync(final ModelPeer.Call call)
    {
        final SyncGroupRequestData request = (SyncGroupRequestData)call.request();
        keep("sync " + request.generationId());
        lastSync = request.assignments().isEmpty() ? lastSync : request;
        final ByteBuffer bytes = ConsumerProtocol.serializeAssignment(new ConsumerPartitionAssignor.Assignment(
            Arrays.stream(target).mapToObj((p) -> new TopicPartition(OneTopicBroker.TOPIC, p)).toList()));
        return call.answer(new SyncGroupResponseData().setProtocolType("consumer").setProtocolName("range")
            .setAssignment(Arrays.copyOf(bytes.array(), bytes.limit())));
    }

    private Answer heartbeat(final ModelPeer.Call call)
    {
        final HeartbeatRequestData request = (HeartbeatRequestData)call.request();
        keep("heartbeat " + request.generationId());
        return call.answer(new HeartbeatResponseData().setErrorCode((short)(isRebalancing ? 27 : 0)));
    }

    private Answer leave(final ModelPeer.Call call)
    {
        final LeaveGroupRequestData request = (LeaveGroupRequestData)call.request();
        keep("leave " + (request.members().isEmpty() ? request.memberId() : request.members().get(0).memberId()));
        return call.answer(new LeaveGroupResponseData());
    }

    private Answer commit(final ModelPeer.Call call)
    {
        final OffsetCommitRequestData request = (OffsetCommitRequestData)call.request();
        keep("commit " + request.generationIdOrMemberEpoch() + " " + request.memberId() + " " + offsets(request));
        return call.answer(committed(request, 0));
    }
}
