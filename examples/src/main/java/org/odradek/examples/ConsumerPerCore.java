// SPDX-License-Identifier: Apache-2.0
package org.odradek.examples;

import org.agrona.CloseHelper;
import org.agrona.concurrent.AgentRunner;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.odradek.affinity.PinnedAgent;
import org.odradek.consumer.ConsumerAgent;
import org.odradek.consumer.ConsumerContext;
import org.odradek.consumer.GroupSettings;
import org.odradek.consumer.StartPosition;
import org.odradek.consumer.TopicConsumer;
import org.odradek.consumer.handler.ConsumerListener;
import org.odradek.consumer.handler.GroupState;
import org.odradek.consumer.handler.HandlerErrorPolicy;
import org.odradek.consumer.handler.RecordHandler;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

/**
 * Reads a topic with a consumer on each core, which are members of one group: records of a partition are stored in
 * order, and nothing is copied. All cores use the store at the same time. Its first exception ends everything; the next
 * start stores that record and all after it: {@code ConsumerPerCore HOST:PORT GROUP TOPIC CORE...}.
 */
public final class ConsumerPerCore implements ConsumerListener
{
    private static final int RECORD_LIMIT = 1_000;

    final CompletableFuture<Void> end = new CompletableFuture<>();
    private final List<AgentRunner> runners = new ArrayList<>();

    public static void main(final String[] args)
    {
        new ConsumerPerCore().run(args[0], args[1], args[2], (record) -> System.out.println(record.valueLength()),
            Stream.of(args).skip(3).mapToInt(Integer::parseInt).toArray());
    }

    /** Returns when {@code end} is complete, or throws the first error. */
    void run(
        final String servers, final String group, final String topic, final RecordHandler store, final int... cores)
    {
        try
        {
            for (final int core : cores)
            {
                start(core, store, TopicConsumer.connect(new ConsumerContext()
                    .bootstrapServers(servers).topic(topic).startPosition(StartPosition.earliest())
                    .group(new GroupSettings(group)).handlerErrorPolicy(HandlerErrorPolicy.THROW).listener(this)));
            }
            end.join();
        }
        finally
        {
            CloseHelper.closeAll(runners);    // each commits and leaves the group
        }
    }

    private void start(final int core, final RecordHandler store, final TopicConsumer consumer)
    {
        runners.add(new AgentRunner(new BackoffIdleStrategy(1_000, 100, 1_000, 100_000), end::completeExceptionally,
            null, new PinnedAgent(core, ConsumerAgent.polling("core-" + core, consumer, store, RECORD_LIMIT),
            System.out::println)));
        AgentRunner.startOnThread(runners.get(runners.size() - 1));
    }

    /** A member that the coordinator refuses for good reads nothing any more, and no poll throws. */
    @Override
    public void onGroupState(final GroupState state, final int memberEpoch, final String reason)
    {
        if (state == GroupState.FAILED)
        {
            end.completeExceptionally(new IllegalStateException(reason));
        }
    }
}
