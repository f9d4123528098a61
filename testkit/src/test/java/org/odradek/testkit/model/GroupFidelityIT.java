// SPDX-License-Identifier: Apache-2.0
package org.odradek.testkit.model;

import org.apache.kafka.common.message.ConsumerGroupHeartbeatRequestData;
import org.apache.kafka.common.message.DescribeGroupsRequestData;
import org.apache.kafka.common.message.OffsetFetchRequestData;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.odradek.testkit.Await;

import java.util.List;
import java.util.function.Supplier;

import static org.apache.kafka.common.message.ApiMessageType.CONSUMER_GROUP_HEARTBEAT;
import static org.apache.kafka.common.message.ApiMessageType.DESCRIBE_GROUPS;
import static org.apache.kafka.common.message.ApiMessageType.OFFSET_COMMIT;
import static org.apache.kafka.common.message.ApiMessageType.OFFSET_FETCH;
import static org.odradek.testkit.model.FidelityRequests.commit;

/** Tests the model's groups with members: it sends the same requests to the model and to a real broker. */
@Timeout(120)
class GroupFidelityIT
{
    private static final String TOPIC = "shared";
    private static final String UNKNOWN = "unknown";

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
