// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.group;

import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.Assignment;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.Subscription;
import org.apache.kafka.clients.consumer.internals.ConsumerProtocol;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.ApiMessageType;
import org.apache.kafka.common.message.ApiVersionsResponseData;
import org.apache.kafka.common.message.ApiVersionsResponseData.ApiVersion;
import org.apache.kafka.common.message.ConsumerGroupHeartbeatRequestData;
import org.apache.kafka.common.message.ConsumerGroupHeartbeatResponseData;
import org.apache.kafka.common.message.DescribeGroupsResponseData;
import org.apache.kafka.common.message.DescribeGroupsResponseData.DescribedGroup;
import org.apache.kafka.common.message.FindCoordinatorResponseData;
import org.apache.kafka.common.message.HeartbeatResponseData;
import org.apache.kafka.common.message.JoinGroupResponseData;
import org.apache.kafka.common.message.JoinGroupResponseData.JoinGroupResponseMember;
import org.apache.kafka.common.message.LeaveGroupResponseData;
import org.apache.kafka.common.message.OffsetCommitRequestData;
import org.apache.kafka.common.message.OffsetFetchResponseData;
import org.apache.kafka.common.message.OffsetFetchResponseData.OffsetFetchResponsePartition;
import org.apache.kafka.common.message.OffsetFetchResponseData.OffsetFetchResponseTopic;
import org.apache.kafka.common.message.RequestHeaderData;
import org.apache.kafka.common.message.SyncGroupResponseData;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.ObjectSerializationCache;
import org.junit.jupiter.api.AfterEach;
import org.odradek.client.cluster.Brokers;
import org.odradek.client.core.CounterWriter;
import org.odradek.client.core.DutyClock;
import org.odradek.client.core.MemoryBudget;
import org.odradek.client.core.TopicIdentity;
import org.odradek.client.net.BrokerAddress;
import org.odradek.client.support.UnlimitedMemory;
import org.odradek.consumer.core.ConsumerSettings;
import org.odradek.consumer.core.Environment;
import org.odradek.consumer.fetch.PartitionTable;
import org.odradek.consumer.handler.ConsumerListener;
import org.odradek.consumer.handler.GroupProtocol;
import org.odradek.consumer.support.MemoryPoller;
import org.odradek.consumer.support.ScriptedCoordinator;
import org.odradek.protocol.ErrorCode;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;

import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * A coordinator of groups over sockets in memory, at exact times. Each request is answered when it is sent, as scripted
 * or else without an error, and its answer is read in the next cycle.
 */
abstract class CoordinatorFixture
{
    static final int BROKER = 1;
    static final int COORDINATOR = 7;
    static final int INTERVAL_MS = 5_000;
    static final Uuid TOPIC_ID = new Uuid(1, 2);
    static final long FAR_NS = Long.MAX_VALUE / 2;
    /** Answers nothing that can be read, so that the connection fails. */
    static final UnaryOperator<ApiMessage> BROKEN = (request) -> new ApiVersionsResponseData();
    /** Does not answer. */
    static final UnaryOperator<ApiMessage> SILENT = (request) -> null;
    private static final int MAX_CYCLES = 20;
    private static final int BUFFER = 1 << 16;

    final AtomicLong nowNs = new AtomicLong();
    final DutyClock clock = new DutyClock(nowNs::get, () -> 1);
    final ConsumerSettings settings = new ConsumerSettings();
    final CounterWriter counters = new CounterWriter();
    final MemoryBudget budget = UnlimitedMemory.budget(1 << 24);
    final TopicIdentity topic = new TopicIdentity("topic");
    final PartitionTable table = new PartitionTable(settings);
    final List<String> errors = new ArrayList<>();
    final List<String> events = new ArrayList<>();
    final List<ApiMessageType> sent = new ArrayList<>();
    /** The last request of each type. */
    final Map<ApiMessageType, ApiMessage> requests = new EnumMap<>(ApiMessageType.class);
    /** Of a classic group. */
    String leaderId = "other";
    String[] subscribed = {"topic"};
    boolean isAssignmentSkipped;
    final List<JoinGroupResponseMember> others = new ArrayList<>();
    int generation = 1;
    int[] target = {};
    final MemoryPoller poller = new MemoryPoller(this::answer);
    final Environment environment = new Environment(settings, poller, clock, budget, counters, new Listener(),
        (error) -> errors.add(error.getMessage()));
    final Brokers brokers = new Brokers(new BrokerAddress[0], environment);
    final Map<ApiMessageType, Integer> versions = new EnumMap<>(ApiMessageType.class);
    private final Map<ApiMessageType, Deque<UnaryOperator<ApiMessage>>> scripts = new EnumMap<>(ApiMessageType.class);
    int coordinatorId = COORDINATOR;
    GroupCoordinator coordinator;
    GroupMember member;

    private final class Listener implements ConsumerListener
    {
        @Override
        public void onGroupProtocol(final GroupProtocol protocol, final String reason)
        {
            events.add(protocol + " " + reason);
        }

        @Override
        public void onClassicGroupConverted(final String protocolType, final String state, final int memberCount)
        {
            events.add("converted " + protocolType + " " + state + " " + memberCount);
        }
    }

    CoordinatorFixture()
    {
        settings.random = () -> Long.MIN_VALUE;
        settings.receiveBufferMaxLength = BUFFER;
        versions.put(ApiMessageType.FIND_COORDINATOR, 3);
        versions.put(ApiMessageType.OFFSET_COMMIT, 7);
        versions.put(ApiMessageType.OFFSET_FETCH, 5);
        versions.put(ApiMessageType.CONSUMER_GROUP_HEARTBEAT, 1);
        versions.put(ApiMessageType.DESCRIBE_GROUPS, 5);
    }

    @AfterEach
    void free()
    {
        coordinator.free();
    }

    /** Begins with one broker, which is not the coordinator. */
    void begin()
    {
        brokers.put(BROKER, "127.0.0.1", 9_001);
        create();
    }

    void create()
    {
        coordinator = new GroupCoordinator("group", topic, table, brokers, environment);
    }

    /** Begins with a member that has joined. */
    void beginJoined()
    {
        settings.group = new ConsumerSettings.Group("group");
        beginMember();
        until(ApiMessageType.CONSUMER_GROUP_HEARTBEAT);
        cycle();
        sent.clear();
    }

    void beginMember()
    {
        topic.id(TOPIC_ID.getMostSignificantBits(), TOPIC_ID.getLeastSignificantBits());
        table.ensureCapacity(1);
        begin();
        member = coordinator.join();
    }

    /** Begins with a coordinator that is known, and has nothing to do. */
    void beginKnown()
    {
        begin();
        commitAnswered(1);
        sent.clear();
        errors.clear();
    }

    void supportClassicGroups()
    {
        versions.put(ApiMessageType.JOIN_GROUP, 5);
        versions.put(ApiMessageType.SYNC_GROUP, 3);
        versions.put(ApiMessageType.HEARTBEAT, 3);
        versions.put(ApiMessageType.LEAVE_GROUP, 3);
    }

    void commit(final long offset)
    {
        coordinator.commits().commit(0, offset, -1);
    }

    /** Commits an offset, and reads the answer. */
    void commitAnswered(final long offset)
    {
        commit(offset);
        until(ApiMessageType.OFFSET_COMMIT);
        cycle();
    }

    /** Answers the next request of a type that has no script. */
    void script(final ApiMessageType type, final UnaryOperator<ApiMessage> answer)
    {
        scripts.computeIfAbsent(type, (key) -> new ArrayDeque<>()).add(answer);
    }

    /** Answers the next requests of a type with errors. */
    void fail(final ApiMessageType type, final int... codes)
    {
        for (final int code : codes)
        {
            script(type, (request) -> usual(type, request, (short)code));
        }
    }

    void timeMs(final long ms)
    {
        nowNs.set(TimeUnit.MILLISECONDS.toNanos(ms));
        clock.update();
    }

    long nowMs()
    {
        return TimeUnit.NANOSECONDS.toMillis(nowNs.get());
    }

    /** Runs a duty cycle, and returns the requests that it has sent. */
    List<ApiMessageType> cycle()
    {
        final int before = sent.size();
        poller.await(0);
        coordinator.receive(true, 1, ErrorCode.NONE);
        coordinator.send();
        return List.copyOf(sent.subList(before, sent.size()));
    }

    /** Runs cycles at the present time until a request is sent. */
    void until(final ApiMessageType type)
    {
        for (int i = 0; i < MAX_CYCLES; i++)
        {
            if (cycle().contains(type))
            {
                return;
            }
        }
        throw new AssertionError(type + " was not sent, but " + sent + "; " + coordinator + "; errors " + errors);
    }

    void settle()
    {
        for (int i = 0; i < MAX_CYCLES; i++)
        {
            cycle();
        }
    }

    /** Runs cycles until the connection fails, because a request is not answered. */
    void untilTimeout()
    {
        timeMs(deadlineMs());
        cycle();
        // The overdue response gets another second.
        timeMs(nowMs() + 1_000);
        cycle();
    }

    int count(final ApiMessageType type)
    {
        return (int)sent.stream().filter(type::equals).count();
    }

    /** When something is due without a byte arriving, or -1. */
    long deadlineMs()
    {
        final long deadlineNs = coordinator.nextDeadlineNs(FAR_NS);
        return deadlineNs == FAR_NS ? -1 : TimeUnit.NANOSECONDS.toMillis(deadlineNs);
    }

    void assertState(final String state)
    {
        assertTrue(coordinator.toString().contains("coordinator " + state + ","), coordinator::toString);
    }

    private ByteBuffer answer(
        final short apiKey, final short version, final int correlationId, final ByteBuffer frame)
    {
        final ApiMessageType type = ApiMessageType.fromApiKey(apiKey);
        sent.add(type);
        final ByteBufferAccessor reader = new ByteBufferAccessor(frame);
        new RequestHeaderData(reader, type.requestHeaderVersion(version));
        final ApiMessage request = type.newRequest();
        request.read(reader, version);
        requests.put(type, request);
        final Deque<UnaryOperator<ApiMessage>> answers = scripts.getOrDefault(type, new ArrayDeque<>());
        final boolean isBroken = answers.peek() == BROKEN;
        final ApiMessage response =
            answers.isEmpty() ? usual(type, request, (short)0) : answers.poll().apply(request);
        if (response == null)
        {
            return ByteBuffer.allocate(0);
        }
        final ObjectSerializationCache cache = new ObjectSerializationCache();
        final int tags = isBroken ? 0 : type.responseHeaderVersion(version);
        final ByteBuffer bytes =
            ByteBuffer.allocate(2 * Integer.BYTES + tags + (isBroken ? 1 : response.size(cache, version)));
        bytes.putInt(bytes.capacity() - Integer.BYTES).putInt(correlationId).position(2 * Integer.BYTES + tags);
        if (!isBroken)
        {
            response.write(new ByteBufferAccessor(bytes), cache, version);
        }
        return bytes.rewind();
    }

    private ApiMessage usual(final ApiMessageType type, final ApiMessage request, final short code)
    {
        switch (type)
        {
            case API_VERSIONS:
                final ApiVersionsResponseData supported = new ApiVersionsResponseData();
                supported.apiKeys().add(new ApiVersion().setApiKey(type.apiKey()).setMaxVersion((short)3));
                versions.forEach((api, version) -> supported.apiKeys().add(
                    new ApiVersion().setApiKey(api.apiKey()).setMaxVersion(version.shortValue())));
                return supported;
            case FIND_COORDINATOR:
                return new FindCoordinatorResponseData().setErrorCode(code).setNodeId(code == 0 ? coordinatorId : -1)
                    .setHost("127.0.0.1").setPort(9_000 + coordinatorId);
            case OFFSET_COMMIT:
                return ScriptedCoordinator.committed((OffsetCommitRequestData)request, code);
            case OFFSET_FETCH:
                return new OffsetFetchResponseData().setErrorCode(code).setTopics(List.of(
                    new OffsetFetchResponseTopic().setName("topic").setPartitions(List.of(
                        new OffsetFetchResponsePartition().setCommittedOffset(5).setMetadata("")))));
            case DESCRIBE_GROUPS:
                return new DescribeGroupsResponseData().setGroups(List.of(
                    new DescribedGroup().setErrorCode(code).setGroupId("group").setGroupState("Dead")));
            case CONSUMER_GROUP_HEARTBEAT:
                final int epoch = ((ConsumerGroupHeartbeatRequestData)request).memberEpoch();
                return new ConsumerGroupHeartbeatResponseData().setErrorCode(code)
                    .setMemberEpoch(epoch == 0 ? 1 : epoch).setHeartbeatIntervalMs(INTERVAL_MS);
            case JOIN_GROUP:
                return join(code);
            case SYNC_GROUP:
                return new SyncGroupResponseData().setErrorCode(code).setAssignment(bytes(
                    ConsumerProtocol.serializeAssignment(new Assignment(Arrays.stream(target).mapToObj(
                        (partition) -> new TopicPartition("topic", partition)).toList()))));
            case LEAVE_GROUP:
                return new LeaveGroupResponseData().setErrorCode(code);
            case HEARTBEAT:
                return new HeartbeatResponseData().setErrorCode(code);
            default:
                throw new AssertionError("no answer to " + type);
        }
    }

    private JoinGroupResponseData join(final short code)
    {
        final JoinGroupResponseData data = new JoinGroupResponseData().setErrorCode(code).setMemberId("m")
            .setGenerationId(code == 0 ? generation : -1).setProtocolName("range").setLeader(leaderId);
        if (leaderId.equals("m"))
        {
            data.setSkipAssignment(isAssignmentSkipped).members().add(member("m", null, subscribed));
        }
        data.members().addAll(others);
        return data;
    }

    static JoinGroupResponseMember member(final String id, final String instanceId, final String... topics)
    {
        return new JoinGroupResponseMember().setMemberId(id).setGroupInstanceId(instanceId).setMetadata(bytes(
            ConsumerProtocol.serializeSubscription(new Subscription(List.of(topics)))));
    }

    private static byte[] bytes(final ByteBuffer buffer)
    {
        final byte[] bytes = new byte[buffer.remaining()];
        buffer.get(bytes);
        return bytes;
    }
}
