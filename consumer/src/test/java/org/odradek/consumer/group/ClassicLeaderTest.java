// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.group;

import org.apache.kafka.clients.consumer.internals.ConsumerProtocol;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponsePartition;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponseTopic;
import org.apache.kafka.common.message.SyncGroupRequestData;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.nio.ByteBuffer;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import static org.apache.kafka.common.message.ApiMessageType.HEARTBEAT;
import static org.apache.kafka.common.message.ApiMessageType.JOIN_GROUP;
import static org.apache.kafka.common.message.ApiMessageType.METADATA;
import static org.apache.kafka.common.message.ApiMessageType.SYNC_GROUP;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Tests when the leader of a classic group counts the partitions of its topics, and what follows. */
class ClassicLeaderTest extends ClassicFixture
{
    private static final int MAX_AGE_MS = 300_000;

    private int partitionCount = 3;

    /** Begins with the member that leads. */
    private void beginLeading(final String... topics)
    {
        versions.putIfAbsent(METADATA, 9);
        subscribed = topics;
        leaderId = "m";
        for (int i = 0; i < 10; i++)
        {
            script(METADATA, (request) -> metadata());
        }
        beginMember();
        until(SYNC_GROUP);
        settle();
    }

    private MetadataResponseData metadata()
    {
        final MetadataResponseData data = new MetadataResponseData();
        addTopic(data, "topic", partitionCount);
        data.topics().add(new MetadataResponseTopic().setName("gone").setErrorCode((short)3));
        return data;
    }

    private static void addTopic(final MetadataResponseData data, final String name, final int partitionCount)
    {
        final MetadataResponseTopic topic = new MetadataResponseTopic().setName(name);
        for (int p = 0; p < partitionCount; p++)
        {
            topic.partitions().add(new MetadataResponsePartition().setPartitionIndex(p));
        }
        data.topics().add(topic);
    }

    /** Static members come first, and topics have names of which one begins with another. */
    @Test
    void shouldDivideTheTopicsOfAllMembers()
    {
        final String[] many = IntStream.range(10, 30).mapToObj((i) -> "many" + i).toArray(String[]::new);
        final MetadataResponseData data = new MetadataResponseData();
        for (final String name : many)
        {
            addTopic(data, name, 1);
        }
        addTopic(data, "ab", 3);
        addTopic(data, "b", 1);
        addTopic(data, "a", 4);
        addTopic(data, "not asked for", 2);
        script(METADATA, (request) -> data);
        others.add(member("z", "static-b", "b", "a", "ab", "a"));
        others.add(member("w", null, many));
        others.add(member("y", "static-a", "a"));
        beginLeading("a", "ab", "b");

        final SyncGroupRequestData sync = (SyncGroupRequestData)requests.get(SYNC_GROUP);
        final Map<String, String> assigned = new TreeMap<>();
        sync.assignments().forEach((each) -> assigned.put(each.memberId(), ConsumerProtocol.deserializeAssignment(
            ByteBuffer.wrap(each.assignment())).partitions().stream().map(TopicPartition::toString).sorted()
            .collect(Collectors.joining(" "))));
        assertEquals("a-0 a-1", assigned.get("y"));
        assertEquals("a-2 ab-0 ab-1 b-0", assigned.get("z"));
        assertEquals("a-3 ab-2", assigned.get("m"));
        assertEquals(String.join("-0 ", many) + "-0", assigned.get("w"));
        assertEquals(4, assigned.size());
    }

    /** The id of a topic follows its name, and is no part of it. */
    @Test
    void shouldFindEachTopicWhateverFollowsItsName()
    {
        versions.put(METADATA, 12);
        final MetadataResponseData data = new MetadataResponseData();
        for (final String name : List.of("a", "ab", "b"))
        {
            addTopic(data, name, 1);
            data.topics().find(name).setTopicId(new Uuid(-1, -1));
        }
        script(METADATA, (request) -> data);
        beginLeading("a", "ab", "b");
        assertEquals(List.of(0, 0, 0), assigned());
    }

    @Test
    void shouldAssignNothingIfTheCoordinatorKeepsTheAssignment()
    {
        versions.put(JOIN_GROUP, 9);
        isAssignmentSkipped = true;
        beginLeading("topic");
        assertEquals(1, count(METADATA));
        assertEquals(List.of(), assigned());
    }

    @Tag("seconds")
    @ParameterizedTest
    @CsvSource({"74232, false", "74234, true"})
    void shouldLeaveOutAMemberThatNeedsMoreThanHalfOfTheRoom(final int topicCount, final boolean isLeftOut)
    {
        settings.receiveBufferMaxLength = 1 << 23;
        others.add(member("z", null, Collections.nCopies(topicCount, "t").toArray(String[]::new)));
        leaderId = "m";
        versions.put(METADATA, 9);
        script(METADATA, (request) -> metadata());
        beginMember();
        settle();
        assertEquals(1, count(SYNC_GROUP));
        assertEquals(isLeftOut, errors.toString().contains(
            "member z: its subscription to " + topicCount + " topics is too large"), errors::toString);
        // Without an assignment, Kafka's client would throw an exception out of its poll.
        assertEquals(2, ((SyncGroupRequestData)requests.get(SYNC_GROUP)).assignments().stream().filter(
            (each) -> ConsumerProtocol.deserializeAssignment(ByteBuffer.wrap(each.assignment())) != null).count());
    }

    @Test
    void shouldNotLeadWithMembersThatAreSentAlthoughAnotherLeads()
    {
        others.add(member("z", null, "topic"));
        beginMember();
        until(SYNC_GROUP);
        assertEquals(0, count(METADATA));
        assertEquals(List.of(), assigned());
    }

    private List<Integer> assigned()
    {
        final SyncGroupRequestData sync = (SyncGroupRequestData)requests.get(SYNC_GROUP);
        return sync.assignments().isEmpty() ? List.of() : ConsumerProtocol.deserializeAssignment(
            ByteBuffer.wrap(sync.assignments().get(0).assignment())).partitions().stream()
            .map((partition) -> partition.partition()).toList();
    }

    // Behaviour O194.
    @Test
    void shouldCountPartitionsAgainAndHaveTheGroupDivideThemIfTheyHaveChanged()
    {
        beginLeading("topic");
        assertEquals(List.of(0, 1, 2), assigned());
        assertEquals(1, count(METADATA));
        heartbeatsUntil(MAX_AGE_MS - 1);
        assertEquals(1, count(METADATA));
        heartbeatsUntil(MAX_AGE_MS + HEARTBEAT_MS);
        assertEquals(2, count(METADATA));
        assertEquals(1, count(JOIN_GROUP));
        partitionCount = 4;
        heartbeatsUntil(2 * MAX_AGE_MS + 2 * HEARTBEAT_MS);
        assertEquals(2, count(JOIN_GROUP));
        assertEquals(List.of(0, 1, 2, 3), assigned());
    }

    @Test
    void shouldCountSoonerWhileATopicIsNotKnown()
    {
        beginLeading("gone", "topic");
        assertEquals(List.of(0, 1, 2), assigned());
        heartbeatsUntil(9_999);
        assertEquals(1, count(METADATA));
        heartbeatsUntil(10_000 + HEARTBEAT_MS);
        assertEquals(2, count(METADATA));
        assertEquals(1, count(JOIN_GROUP));
        assertEquals(1, errors.size(), errors::toString);
        assertTrue(errors.get(0).contains("those of topic gone (UNKNOWN_TOPIC_OR_PARTITION)"), errors.get(0));
    }

    @Test
    void shouldCountNothingForAGroupWithoutTopics()
    {
        beginLeading();
        assertEquals(0, count(METADATA));
        assertEquals(List.of(), assigned());
    }

    @Test
    void shouldCountNothingAnyMoreWhenAnotherLeads()
    {
        beginLeading("topic");
        leaderId = "other";
        heartbeat(27);
        settle();
        assertEquals(2, count(SYNC_GROUP));
        assertEquals(List.of(), assigned());
        heartbeatsUntil(MAX_AGE_MS + HEARTBEAT_MS);
        assertEquals(1, count(METADATA));
    }

    /** The count of partitions is not due before a rebalance has ended. */
    @Test
    void shouldNotCountWhileItJoins()
    {
        beginLeading("topic");
        heartbeat(27);
        script(JOIN_GROUP, SILENT);
        timeMs(MAX_AGE_MS + HEARTBEAT_MS);
        settle();
        assertEquals(SYNC_GROUP, sent.stream().filter(
            (type) -> type != HEARTBEAT).reduce((first, second) -> second).orElseThrow());
    }

    @Test
    void shouldJoinAgainWhenTheAnswerToItsCountIsLost()
    {
        versions.put(METADATA, 9);
        leaderId = "m";
        script(METADATA, BROKEN);
        script(METADATA, (request) -> metadata());
        beginMember();
        until(METADATA);
        settle();
        timeMs(1_000);
        until(SYNC_GROUP);
        assertEquals(2, count(JOIN_GROUP));
    }
}
