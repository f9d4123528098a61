// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.support;

import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.ApiMessageType;
import org.apache.kafka.common.message.ConsumerGroupHeartbeatRequestData;
import org.apache.kafka.common.message.ConsumerGroupHeartbeatRequestData.TopicPartitions;
import org.apache.kafka.common.message.ConsumerGroupHeartbeatResponseData;
import org.apache.kafka.common.message.ConsumerGroupHeartbeatResponseData.Assignment;
import org.apache.kafka.common.message.OffsetCommitRequestData;
import org.odradek.consumer.GroupSettings;
import org.odradek.harness.Answer;
import org.odradek.harness.model.ModelPeer;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.function.Function;

/**
 * The coordinator of a group of one member, at a {@link OneTopicBroker}. It assigns what the test says, and answers as
 * the test scripts. It keeps each request as a line, such as "full 3 [0, 1]" or "commit 3 {0=7}".
 */
public final class ScriptedGroup extends ScriptedCoordinator
{
    public static final String GROUP = "scripted-group";

    private final Deque<Function<ModelPeer.Call, Answer>> answers = new ArrayDeque<>();
    private final Deque<Integer> commitErrors = new ArrayDeque<>();
    private final List<String> memberIds = new ArrayList<>();
    private int epoch = 1;
    private int[] target = {0, 1};
    private boolean isTargetNew = true;
    private int intervalMs = 60_000;

    public ScriptedGroup()
    {
        broker().maxVersion(ApiMessageType.CONSUMER_GROUP_HEARTBEAT, 1);
        broker().script(ApiMessageType.CONSUMER_GROUP_HEARTBEAT, this::heartbeat);
        broker().script(ApiMessageType.OFFSET_COMMIT, this::commit);
    }

    /** Settings with which heartbeats are frequent. */
    public static GroupSettings settings()
    {
        return new GroupSettings(GROUP).heartbeatIntervalMs(20);
    }

    public GroupReader start()
    {
        return start(settings());
    }

    public void startStable()
    {
        start();
        untilStable();
    }

    /** Has the next heartbeat carry another assignment. */
    public synchronized void assign(final int newEpoch, final int... partitions)
    {
        epoch = newEpoch;
        target = partitions;
        isTargetNew = true;
    }

    public synchronized void intervalMs(final int ms)
    {
        intervalMs = ms;
    }

    /** Answers a heartbeat with the result of a function; with several of them, one after the other. */
    public synchronized void answerNext(final Function<ModelPeer.Call, Answer> answer)
    {
        answers.add(answer);
    }

    /** Answers the next heartbeats with errors. */
    public void failNext(final int... codes)
    {
        for (final int code : codes)
        {
            answerNext((call) -> call.answer(new ConsumerGroupHeartbeatResponseData()
                .setErrorCode((short)code).setErrorMessage("words of the broker")));
        }
    }

    public synchronized void failCommits(final Integer... codes)
    {
        commitErrors.addAll(List.of(codes));
    }

    /** The requests that follow the first one which begins with a text. */
    public List<String> after(final String request)
    {
        return requests().stream().dropWhile((line) -> !line.startsWith(request)).skip(1).toList();
    }

    public synchronized List<String> memberIds()
    {
        return memberIds.stream().distinct().toList();
    }

    private synchronized Answer heartbeat(final ModelPeer.Call call)
    {
        final ConsumerGroupHeartbeatRequestData request = (ConsumerGroupHeartbeatRequestData)call.request();
        memberIds.add(request.memberId());
        final boolean isFull = request.rebalanceTimeoutMs() >= 0;
        keep(request.memberEpoch() < 0 ? "leave " + request.memberEpoch() :
            (request.memberEpoch() == 0 ? "join " : isFull ? "full " : request.topicPartitions() == null ?
                "keepalive " : "owned ") + request.memberEpoch() + owned(request.topicPartitions()));
        if (!answers.isEmpty())
        {
            return answers.poll().apply(call);
        }
        if (request.memberEpoch() < 0)
        {
            return call.answer(response(request.memberEpoch(), null));
        }
        final boolean isSent = isTargetNew || isFull;
        isTargetNew = false;
        return call.answer(response(epoch, isSent ? target : null));
    }

    private static String owned(final List<TopicPartitions> topics)
    {
        return topics == null ? "" : " " + topics.stream()
            .flatMap((topic) -> topic.partitions().stream()).toList();
    }

    /** Returns a response; null for no assignment. */
    public ConsumerGroupHeartbeatResponseData response(final int memberEpoch, final int[] partitions)
    {
        return response(memberEpoch, partitions, OneTopicBroker.TOPIC_ID);
    }

    public synchronized ConsumerGroupHeartbeatResponseData response(
        final int memberEpoch, final int[] partitions, final Uuid topicId)
    {
        final ConsumerGroupHeartbeatResponseData data = new ConsumerGroupHeartbeatResponseData()
            .setMemberId("m").setMemberEpoch(memberEpoch).setHeartbeatIntervalMs(intervalMs);
        if (partitions != null)
        {
            final Assignment assignment = new Assignment();
            if (partitions.length > 0)
            {
                assignment.setTopicPartitions(List.of(new ConsumerGroupHeartbeatResponseData.TopicPartitions()
                    .setTopicId(topicId).setPartitions(Arrays.stream(partitions).boxed().toList())));
            }
            data.setAssignment(assignment);
        }
        return data;
    }

    private synchronized Answer commit(final ModelPeer.Call call)
    {
        final OffsetCommitRequestData request = (OffsetCommitRequestData)call.request();
        keep("commit " + request.generationIdOrMemberEpoch() + " " + offsets(request));
        memberIds.add(request.memberId());
        return call.answer(committed(request, commitErrors.isEmpty() ? 0 : commitErrors.poll()));
    }
}
