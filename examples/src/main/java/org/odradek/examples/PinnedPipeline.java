// SPDX-License-Identifier: Apache-2.0
package org.odradek.examples;

import org.agrona.CloseHelper;
import org.agrona.concurrent.Agent;
import org.agrona.concurrent.AgentRunner;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.odradek.affinity.PinnedAgent;
import org.odradek.consumer.CommitPolicy;
import org.odradek.consumer.ConsumerContext;
import org.odradek.consumer.GroupSettings;
import org.odradek.consumer.StartPosition;
import org.odradek.consumer.handler.ConsumerListener;
import org.odradek.consumer.handler.GroupState;
import org.odradek.consumer.handler.HandlerErrorPolicy;
import org.odradek.consumer.handler.RecordHandler;
import org.odradek.workers.WorkerSettings;
import org.odradek.workers.Workers;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

/**
 * Polls on one core and stores records on the others, those of a key in order. All cores use the store at the same
 * time. Its first exception ends everything; the next start stores that record and all after it: {@code PinnedPipeline
 * HOST:PORT GROUP TOPIC POLL-CORE STORE-CORE...}.
 */
public final class PinnedPipeline implements ConsumerListener
{
    final CompletableFuture<Void> end = new CompletableFuture<>();
    private final List<AgentRunner> runners = new ArrayList<>();

    public static void main(final String[] args)
    {
        new PinnedPipeline().run(args[0], args[1], args[2], (record) -> System.out.println(record.valueLength()),
            Stream.of(args).skip(3).mapToInt(Integer::parseInt).toArray());
    }

    /** Returns when {@code end} is complete, or throws the first error. */
    void run(
        final String servers, final String group, final String topic, final RecordHandler store, final int... cores)
    {
        final Workers workers = Workers.connect(new ConsumerContext()
            .bootstrapServers(servers).topic(topic).startPosition(StartPosition.earliest())
            .group(new GroupSettings(group).commitPolicy(CommitPolicy.acknowledged()))
            .handlerErrorPolicy(HandlerErrorPolicy.THROW)
            .listener(this), new WorkerSettings(cores.length - 1, (worker) -> (record) ->
            {
                store.onRecord(record);
                return null;
            }));
        try
        {
            for (int i = 0; i < cores.length; i++)
            {
                start(cores[i], i == 0 ? workers.dispatcher() : workers.worker(i - 1));
            }
            end.join();
        }
        finally
        {
            CloseHelper.closeAll(runners);    // the dispatcher first: it waits for the workers, and commits
            workers.close();                  // for the case that no dispatcher was started
        }
    }

    private void start(final int core, final Agent agent)
    {
        runners.add(new AgentRunner(new BackoffIdleStrategy(1_000, 100, 1_000, 100_000), end::completeExceptionally,
            null, new PinnedAgent(core, agent, System.out::println)));
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
