// SPDX-License-Identifier: Apache-2.0
package org.odradek.simulation.fidelity;

import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.Subscription;
import org.apache.kafka.clients.consumer.internals.ConsumerProtocol;
import org.apache.kafka.common.message.ConsumerGroupHeartbeatRequestData;
import org.apache.kafka.common.message.DescribeGroupsRequestData;
import org.apache.kafka.common.message.HeartbeatRequestData;
import org.apache.kafka.common.message.HeartbeatResponseData;
import org.apache.kafka.common.message.JoinGroupRequestData;
import org.apache.kafka.common.message.JoinGroupRequestData.JoinGroupRequestProtocol;
import org.apache.kafka.common.message.JoinGroupRequestData.JoinGroupRequestProtocolCollection;
import org.apache.kafka.common.message.LeaveGroupRequestData;
import org.apache.kafka.common.message.LeaveGroupRequestData.MemberIdentity;
import org.apache.kafka.common.message.OffsetFetchRequestData;
import org.apache.kafka.common.message.SyncGroupRequestData;
import org.apache.kafka.common.message.SyncGroupRequestData.SyncGroupRequestAssignment;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.odradek.testkit.Await;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

import static org.apache.kafka.common.message.ApiMessageType.CONSUMER_GROUP_HEARTBEAT;
import static org.apache.kafka.common.message.ApiMessageType.DESCRIBE_GROUPS;
import static org.apache.kafka.common.message.ApiMessageType.HEARTBEAT;
import static org.apache.kafka.common.message.ApiMessageType.JOIN_GROUP;
import static org.apache.kafka.common.message.ApiMessageType.LEAVE_GROUP;
import static org.apache.kafka.common.message.ApiMessageType.OFFSET_COMMIT;
import static org.apache.kafka.common.message.ApiMessageType.OFFSET_FETCH;
import static org.apache.kafka.common.message.ApiMessageType.SYNC_GROUP;
import static org.odradek.simulation.fidelity.FidelityRequests.commit;

/** Tests the model's groups with members: it sends the same requests to the model and to a real broker. */
class GroupFidelityIT
{
    private static final String TOPIC = "shared";
    private static final String UNKNOWN = "unknown";
    private static final String CLASSIC = "classic";
    private static final String STATIC = "classic-static";
    private static final String INSTANCE = "i";

    private static FidelityScene scene;
    private static FidelityRequests requests;

    @BeforeAll
    static void start()
    {
        scene = new FidelityScene();
        requests = new FidelityRequests(scene.cluster());
        scene.createTopic(TOPIC, 3);
        Await.until("a coordinator", () -> scene.isRealCoordinatorReady());
    }

    @AfterAll
    static void close()
    {
        scene.close();
    }

    @AfterEach
    void assertEqual()
    {
        scene.assertEqual();
    }

    @Test
    void shouldServeMembersAsABrokerDoes()
    {
        heartbeat("A joins", () -> join("A"));
        heartbeat("A keeps alive", () -> member("A", 2));
        heartbeat("A acknowledges", () -> member("A", 2).setTopicPartitions(owned(0, 1, 2)));
        heartbeat("B joins", () -> join("B"));
        heartbeat("A learns of B", () -> member("A", 2));
        heartbeat("B waits", () -> member("B", 3).setTopicPartitions(owned()));
        scene.compare("A commits", OFFSET_COMMIT, 9, 10, (side, version) -> requests.commit(
            version, "members", TOPIC, commit(0, 7)).setMemberId("A").setGenerationIdOrMemberEpoch(2));
        heartbeat("A gives up", () -> member("A", 2).setTopicPartitions(owned(0, 1)));
        heartbeat("B takes", () -> member("B", 3));
        heartbeat("the same epoch twice", () -> member("A", 2).setTopicPartitions(owned(0)));
        heartbeat("an old epoch", () -> member("A", 1));
        heartbeat("a future epoch", () -> member("A", 99));
        heartbeat("unknown member", () -> member("C", 3));
        heartbeat("unknown group", () -> member("A", 3).setGroupId("nobody"));
        for (final int epoch : new int[]{-1, 0, 1, 2, 3, 4})
        {
            scene.compare("commit of epoch " + epoch, OFFSET_COMMIT, 8, 10, (side, version) -> requests.commit(version,
                "members", TOPIC, commit(0, epoch)).setMemberId("A").setGenerationIdOrMemberEpoch(epoch));
            scene.compare("fetch of epoch " + epoch, OFFSET_FETCH, 9, 10, (side, version) ->
            {
                final OffsetFetchRequestData request = requests.committed(version, "members", TOPIC, 0);
                request.groups().get(0).setMemberId("A").setMemberEpoch(epoch);
                return request;
            });
        }
        scene.compare("commit of nobody", OFFSET_COMMIT, (side, version) ->
            requests.commit(version, "members", TOPIC, commit(0, 9)));
        scene.compare("commit of a stranger", OFFSET_COMMIT, 9, 10, (side, version) -> requests.commit(
            version, "members", TOPIC, commit(0, 9)).setMemberId("C").setGenerationIdOrMemberEpoch(3));
        scene.compare("two partitions, one of B", OFFSET_COMMIT, 9, 10, (side, version) -> requests.commit(version,
            "members", TOPIC, commit(0, 9), commit(2, 9)).setMemberId("A").setGenerationIdOrMemberEpoch(2));
        for (final String group : List.of("members", "nobody", ""))
        {
            scene.compare("description of group " + group, DESCRIBE_GROUPS, (side, version) ->
                new DescribeGroupsRequestData().setGroups(List.of(group)));
        }
        heartbeat("B leaves", () -> member("B", -1));
        heartbeat("B leaves again", () -> member("B", -1));
        heartbeat("A owns all again", () -> full("A", 3).setTopicPartitions(owned(0, 1)));
        heartbeat("A joins again", () -> join("A"));
        heartbeat("A leaves", () -> member("A", -1));
        scene.compare("committed", OFFSET_FETCH, (side, version) ->
            requests.committed(version, "members", TOPIC, 0, 1, 2));
    }

    @Test
    void shouldRefuseHeartbeatsAsABrokerDoes()
    {
        heartbeat("static member", () -> join("S").setGroupId("static").setInstanceId("i"));
        heartbeat("same instance", () -> join("T").setGroupId("static").setInstanceId("i"));
        heartbeat("static leave", () -> member("S", -2).setGroupId("static").setInstanceId("i"));
        heartbeat("next of the instance", () -> join("T").setGroupId("static").setInstanceId("i"));
        heartbeat("former of the instance", () -> member("S", 2).setGroupId("static").setInstanceId("i"));
        heartbeat("no group", () -> join("A").setGroupId(""));
        heartbeat("no member", () -> join(""));
        heartbeat("blank member", () -> join(" "));
        heartbeat("no instance", () -> join("A").setInstanceId(""));
        heartbeat("no rack", () -> join("A").setRackId(""));
        heartbeat("no timeout", () -> join("A").setRebalanceTimeoutMs(-1));
        heartbeat("joins with partitions", () -> join("A").setTopicPartitions(owned(1)));
        heartbeat("joins without partitions", () -> join("A").setTopicPartitions(null));
        heartbeat("no topics", () -> join("A").setSubscribedTopicNames(null));
        heartbeat("dynamic member leaves as a static one", () -> member("A", -2));
        heartbeat("no such epoch", () -> member("A", -3));
        heartbeat("no such assignor", () -> join("A").setServerAssignor("sticky"));
        heartbeat("other assignor", () -> join("R").setGroupId("ranged").setServerAssignor("range"));
        heartbeat("unknown topic", () -> join("U").setGroupId("unknown").setSubscribedTopicNames(List.of(UNKNOWN)));
    }

    @Test
    void shouldServeClassicMembersAsABrokerDoes()
    {
        join("A joins", 9, "A");
        scene.nameMember("A");
        join("A joins with its id", 9, "A");
        classicHeartbeat("A before its sync", "A", 1);
        classicCommit("before the sync", "A", 1);
        sync("another protocol", 5, "A", 1, (request) -> request.setProtocolName("other"));
        sync("no protocol", 5, "A", 1, (request) -> request.setProtocolName(null));
        sync("A leads alone", 5, "A", 1, (request) -> request);
        sync("A asks again", 4, "A", 1, (request) -> request);
        for (final int generation : new int[]{-1, 0, 1, 2})
        {
            classicHeartbeat("generation " + generation, "A", generation);
            classicCommit("commit of generation " + generation, "A", generation);
            sync("sync of generation " + generation, 3, "A", generation, (request) -> request);
            scene.compare("fetch of generation " + generation, OFFSET_FETCH, 9, 10, (side, version) ->
            {
                final OffsetFetchRequestData request = requests.committed(version, CLASSIC, TOPIC, 0);
                request.groups().get(0).setMemberId(side.memberId("A")).setMemberEpoch(generation);
                return request;
            });
        }
        classicHeartbeat("a stranger's heartbeat", "nobody", 1);
        classicCommit("a stranger's commit", "nobody", 1);
        join("B joins", 5, "B");
        scene.nameMember("B");
        final FidelityScene.Waiting joined =
            scene.begin("B waits for A", JOIN_GROUP, 5, (side, version) -> joining(side, "B"));
        Await.until("a rebalance", () -> Errors.REBALANCE_IN_PROGRESS.code() == ((HeartbeatResponseData)scene.askReal(
            HEARTBEAT, 4, beating(scene.real, "A", 1))).errorCode());
        classicHeartbeat("A learns of B", "A", 1);
        classicCommit("A commits before it joins", "A", 1);
        join("A joins with B", 6, "A");
        joined.compare();
        classicHeartbeat("B before its sync", "B", 2);
        join("a third one joins", 7, "C");
        final FidelityScene.Waiting synced =
            scene.begin("B waits for its leader", SYNC_GROUP, 4, (side, version) -> syncing(side, "B", 2));
        sync("A leads B", 5, "A", 2, (request) -> request);
        synced.compare();
        classicHeartbeat("B", "B", 2);
        classicCommit("A commits in the second generation", "A", 2);
        scene.compare("description", DESCRIBE_GROUPS, (side, version) ->
            new DescribeGroupsRequestData().setGroups(List.of(CLASSIC)));
        leave("B leaves", 3, "B", null);
        leave("B leaves again", 4, "B", null);
        classicHeartbeat("A is alone", "A", 2);
        join("A joins alone", 9, "A");
        leave("A leaves", 2, "A", null);
        leave("A leaves again", 5, "A", null);
        classicHeartbeat("nobody is left", "A", 3);
        classicCommit("a former member's commit", "A", 3);
        scene.compare("committed by classic members", OFFSET_FETCH, (side, version) ->
            requests.committed(version, CLASSIC, TOPIC, 0, 1));
    }

    @Test
    void shouldRefuseClassicMembersAsABrokerDoes()
    {
        scene.compare("static member", JOIN_GROUP, 9, (side, version) -> ofInstance(joining(side, "S")));
        scene.nameMember("S");
        scene.compare("the instance before its sync", JOIN_GROUP, 8, (side, version) -> ofInstance(joining(side, "")));
        scene.nameMember("T");
        scene.compare("former member of the instance", HEARTBEAT, 4, (side, version) ->
            beating(side, "S", 1).setGroupId(STATIC).setGroupInstanceId(INSTANCE));
        scene.compare("former member's sync", SYNC_GROUP, 5, (side, version) ->
            syncing(side, "S", 1).setGroupId(STATIC).setGroupInstanceId(INSTANCE));
        scene.compare("former member's commit", OFFSET_COMMIT, 8, (side, version) -> requests.commit(version, STATIC,
            TOPIC, commit(0, 1)).setMemberId(side.memberId("S")).setGroupInstanceId(INSTANCE)
            .setGenerationIdOrMemberEpoch(1));
        scene.compare("former member joins", JOIN_GROUP, 9, (side, version) -> ofInstance(joining(side, "S")));
        leave("former member leaves", 5, "S", INSTANCE);
        leave("the instance leaves", 5, "nobody", INSTANCE);
        leave("the instance leaves again", 3, "nobody", INSTANCE);
        scene.compare("no group", JOIN_GROUP, 9, (side, version) -> joining(side, "").setGroupId(""));
        scene.compare("short session", JOIN_GROUP, 9, (side, version) -> joining(side, "").setSessionTimeoutMs(1));
        scene.compare("no protocols", JOIN_GROUP, 9, (side, version) ->
            joining(side, "").setProtocols(new JoinGroupRequestProtocolCollection()));
        scene.compare("an id of nobody", JOIN_GROUP, 9, (side, version) -> joining(side, "").setMemberId("x"));
        scene.compare("sync of no group", SYNC_GROUP, 5, (side, version) -> syncing(side, "", 1).setGroupId(""));
        scene.compare("sync of nobody", SYNC_GROUP, 5, (side, version) ->
            syncing(side, "", 1).setGroupId("x").setMemberId("x"));
        scene.compare("heartbeat of no group", HEARTBEAT, (side, version) -> beating(side, "", 1).setGroupId(""));
        scene.compare("heartbeat of nobody", HEARTBEAT, (side, version) -> beating(side, "", 1).setGroupId("x"));
        scene.compare("leave of no group", LEAVE_GROUP, 5, (side, version) -> leaving(side, version, "", null)
            .setGroupId(""));
        scene.compare("a first member without a protocol of others", JOIN_GROUP, 3, (side, version) ->
            joining(side, "").setGroupId("mixed"));
        scene.compare("another protocol than the others'", JOIN_GROUP, 9, (side, version) ->
        {
            final JoinGroupRequestData request = joining(side, "").setGroupId("mixed");
            request.protocols().iterator().next().setName("other");
            return request;
        });
        scene.compare("another kind of group", JOIN_GROUP, 9, (side, version) ->
            joining(side, "").setGroupId("mixed").setProtocolType("connect"));
    }

    private static void join(final String name, final int version, final String member)
    {
        scene.compare(name, JOIN_GROUP, version, (side, ignored) -> joining(side, member));
    }

    private static JoinGroupRequestData joining(final FidelityScene.Side side, final String member)
    {
        final JoinGroupRequestProtocolCollection protocols = new JoinGroupRequestProtocolCollection();
        protocols.add(new JoinGroupRequestProtocol().setName("range").setMetadata(
            ConsumerProtocol.serializeSubscription(new Subscription(List.of(TOPIC), ByteBuffer.wrap(
            member.getBytes(StandardCharsets.US_ASCII)))).array()));
        return new JoinGroupRequestData().setGroupId(CLASSIC).setMemberId(side.memberId(member))
            .setProtocolType("consumer").setSessionTimeoutMs(30_000).setRebalanceTimeoutMs(60_000)
            .setProtocols(protocols);
    }

    private static JoinGroupRequestData ofInstance(final JoinGroupRequestData request)
    {
        return request.setGroupId(STATIC).setGroupInstanceId(INSTANCE);
    }

    private static void sync(
        final String name,
        final int version,
        final String member,
        final int generation,
        final UnaryOperator<SyncGroupRequestData> changed)
    {
        scene.compare(name, SYNC_GROUP, version, (side, ignored) -> changed.apply(version < 5 ?
            syncing(side, member, generation).setProtocolType(null).setProtocolName(null) :
            syncing(side, member, generation)));
    }

    /** A sync with an assignment for A and B, of which only the leader's counts. */
    private static SyncGroupRequestData syncing(
        final FidelityScene.Side side, final String member, final int generation)
    {
        return new SyncGroupRequestData().setGroupId(CLASSIC).setMemberId(side.memberId(member))
            .setGenerationId(generation).setProtocolType("consumer").setProtocolName("range").setAssignments(List.of(
                new SyncGroupRequestAssignment().setMemberId(side.memberId("A")).setAssignment(new byte[]{1, 2}),
                new SyncGroupRequestAssignment().setMemberId(side.memberId("B")).setAssignment(new byte[]{3})));
    }

    private static void classicHeartbeat(final String name, final String member, final int generation)
    {
        scene.compare(name, HEARTBEAT, (side, version) -> beating(side, member, generation));
    }

    private static HeartbeatRequestData beating(
        final FidelityScene.Side side, final String member, final int generation)
    {
        return new HeartbeatRequestData().setGroupId(CLASSIC)
            .setMemberId(side.memberId(member)).setGenerationId(generation);
    }

    private static void classicCommit(final String name, final String member, final int generation)
    {
        scene.compare(name, OFFSET_COMMIT, (side, version) -> requests.commit(version, CLASSIC, TOPIC,
            commit(0, 5 + generation)).setMemberId(side.memberId(member)).setGenerationIdOrMemberEpoch(generation));
    }

    private static void leave(final String name, final int version, final String member, final String instance)
    {
        scene.compare(name, LEAVE_GROUP, version, (side, ignored) -> leaving(side, version, member, instance));
    }

    private static LeaveGroupRequestData leaving(
        final FidelityScene.Side side, final int version, final String member, final String instance)
    {
        final LeaveGroupRequestData request =
            new LeaveGroupRequestData().setGroupId(instance == null ? CLASSIC : STATIC);
        return version < 3 ? request.setMemberId(side.memberId(member)) : request.setMembers(List.of(
            new MemberIdentity().setMemberId(side.memberId(member)).setGroupInstanceId(instance)));
    }

    private static void heartbeat(final String name, final Supplier<ConsumerGroupHeartbeatRequestData> request)
    {
        scene.compare(name, CONSUMER_GROUP_HEARTBEAT, 1, (side, version) -> request.get());
    }

    private static ConsumerGroupHeartbeatRequestData member(final String id, final int epoch)
    {
        return new ConsumerGroupHeartbeatRequestData().setGroupId("members").setMemberId(id).setMemberEpoch(epoch);
    }

    private static ConsumerGroupHeartbeatRequestData full(final String id, final int epoch)
    {
        return member(id, epoch).setRebalanceTimeoutMs(60_000).setSubscribedTopicNames(List.of(TOPIC));
    }

    private static ConsumerGroupHeartbeatRequestData join(final String id)
    {
        return full(id, 0).setTopicPartitions(List.of());
    }

    private static List<ConsumerGroupHeartbeatRequestData.TopicPartitions> owned(final Integer... partitions)
    {
        return partitions.length == 0 ? List.of() : List.of(new ConsumerGroupHeartbeatRequestData.TopicPartitions()
            .setTopicId(scene.cluster().topic(TOPIC).id()).setPartitions(List.of(partitions)));
    }
}
