// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.group;

import org.apache.kafka.common.message.ApiMessageType;
import org.apache.kafka.common.message.OffsetCommitRequestData;
import org.apache.kafka.common.message.OffsetCommitRequestData.OffsetCommitRequestPartition;
import org.apache.kafka.common.message.OffsetCommitResponseData;
import org.apache.kafka.common.message.OffsetCommitResponseData.OffsetCommitResponsePartition;
import org.apache.kafka.common.message.OffsetCommitResponseData.OffsetCommitResponseTopic;
import org.odradek.client.core.CounterWriter;
import org.odradek.client.core.DutyClock;
import org.odradek.client.core.TopicIdentity;
import org.odradek.consumer.core.ConsumerSettings;
import org.odradek.consumer.core.Environment;
import org.odradek.consumer.fetch.PartitionTable;
import org.odradek.consumer.support.ScriptedCoordinator;

import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;

/** Offsets to commit, whose requests are read and answered without a connection. */
abstract class OffsetCommitsFixture
{
    static final String TOPIC = "topic";
    static final int VERSION = 7;
    static final int FIRST_VERSION_WITH_TOPIC_ID = 10;
    static final int UNKNOWN_TOPIC_OR_PARTITION = 3;
    static final int COORDINATOR_LOAD_IN_PROGRESS = 14;
    static final int TOPIC_AUTHORIZATION_FAILED = 29;
    static final int INCONSISTENT_TOPIC_ID = 103;

    final AtomicLong nowNs = new AtomicLong();
    final DutyClock clock = new DutyClock(nowNs::get, () -> 0);
    final TopicIdentity topic = new TopicIdentity(TOPIC);
    final ConsumerSettings settings = new ConsumerSettings();
    final CounterWriter counters = new CounterWriter();
    final Environment environment = new Environment(settings, null, clock, null, counters, null, null);
    final OffsetCommits commits = new OffsetCommits("group", topic, environment);
    final RequestExchange exchange = new RequestExchange(ApiMessageType.OFFSET_COMMIT, VERSION);
    OffsetCommitRequestData sent;

    /** Encodes the request, and returns its offsets. */
    String send()
    {
        sent = exchange.send(commits, OffsetCommitRequestData::new);
        return ScriptedCoordinator.offsets(sent);
    }

    /** The leader epochs of the last request. */
    List<Integer> epochs()
    {
        return sent.topics().get(0).partitions().stream()
            .map(OffsetCommitRequestPartition::committedLeaderEpoch).toList();
    }

    /** Answers the request with a code for each partition from 0 on. */
    boolean answer(final int... codes)
    {
        return exchange.answer(commits, response(TOPIC, codes));
    }

    static OffsetCommitResponseData response(final String topicName, final int... codes)
    {
        final OffsetCommitResponseData data = new OffsetCommitResponseData();
        IntStream.range(0, codes.length).forEach((p) -> add(data, topicName, p, codes[p]));
        return data;
    }

    /** Answers for a partition in an element of its own. */
    static void add(
        final OffsetCommitResponseData data, final String topicName, final int partition, final int code)
    {
        data.topics().add(new OffsetCommitResponseTopic().setName(topicName).setPartitions(List.of(
            new OffsetCommitResponsePartition().setPartitionIndex(partition).setErrorCode((short)code))));
    }

    /** Commits as a member of the group from now on. */
    GroupMember join()
    {
        settings.group = new ConsumerSettings.Group("group");
        final GroupMember member = new GroupMember(topic, new PartitionTable(settings), environment);
        commits.member(member);
        return member;
    }

    void time(final long ns)
    {
        nowNs.set(ns);
        clock.update();
    }
}
