// SPDX-License-Identifier: Apache-2.0
package org.odradek.examples;

import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.Agent;
import org.agrona.concurrent.AgentRunner;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.MessageHandler;
import org.agrona.concurrent.ringbuffer.RingBuffer;
import org.odradek.affinity.PinnedAgent;
import org.odradek.client.Acknowledgements;
import org.odradek.consumer.CommitPolicy;
import org.odradek.consumer.ConsumerAgent;
import org.odradek.consumer.ConsumerContext;
import org.odradek.consumer.GroupSettings;
import org.odradek.consumer.StartPosition;
import org.odradek.consumer.TopicConsumer;
import org.odradek.consumer.handler.HandlerErrorPolicy;

import java.util.concurrent.CompletableFuture;

/**
 * Polls on one core and passes records through a ring buffer to a store on another core, which acknowledges them. The
 * first error on either core ends both, so that no later acknowledgement covers the record that has failed; the next
 * start reads it again: {@code PinnedPipeline HOST:PORT GROUP TOPIC POLL-CORE STORE-CORE}.
 */
public final class PinnedPipeline implements Agent, MessageHandler
{
    private final RingBuffer ring = ControlledRing.ringOf(ControlledRing.RING_LENGTH);
    final CompletableFuture<Void> end = new CompletableFuture<>();
    private final MessageHandler store;
    private Acknowledgements acknowledgements;

    PinnedPipeline(final MessageHandler store)
    {
        this.store = store;
    }

    /** @param args bootstrap servers, group, topic, two cores. */
    public static void main(final String[] args)
    {
        new PinnedPipeline((type, buffer, index, length) -> System.out.println(length))
            .run(args[0], args[1], args[2], Integer.parseInt(args[3]), Integer.parseInt(args[4]));
    }

    /** Returns when {@code end} is complete, or throws the first error. */
    @SuppressWarnings("try")    // the runners are only closed
    void run(final String servers, final String group, final String topic, final int pollCore, final int storeCore)
    {
        final TopicConsumer consumer = TopicConsumer.connect(new ConsumerContext()
            .bootstrapServers(servers).topic(topic).startPosition(StartPosition.earliest())
            .group(new GroupSettings(group).commitPolicy(CommitPolicy.acknowledged()))
            .handlerErrorPolicy(HandlerErrorPolicy.THROW));
        acknowledgements = consumer.group().acknowledgements();
        try (AgentRunner storing = start(storeCore, this);
            AgentRunner polling =
                start(pollCore, ConsumerAgent.controlled("poll", consumer, new ControlledRing(ring), 1_000)))
        {
            end.join();
        }
    }

    private AgentRunner start(final int core, final Agent agent)
    {
        // Spins first, then sleeps up to 100 us at a time, so that an idle thread does not use a whole core.
        final AgentRunner runner = new AgentRunner(new BackoffIdleStrategy(1_000, 100, 1_000, 100_000),
            this::onError, null, new PinnedAgent(core, agent, System.out::println));
        AgentRunner.startOnThread(runner);
        return runner;
    }

    /** On the thread that has failed: an agent that is interrupted begins no further duty cycle. */
    private void onError(final Throwable error)
    {
        end.completeExceptionally(error);
        Thread.currentThread().interrupt();
    }

    @Override
    public int doWork()
    {
        return ring.read(this);
    }

    @Override
    public void onMessage(final int type, final MutableDirectBuffer buffer, final int index, final int length)
    {
        store.onMessage(type, buffer, index, length);
        acknowledgements.acknowledge(buffer.getInt(index), buffer.getInt(index + ControlledRing.EPOCH_INDEX),
            buffer.getLong(index + ControlledRing.OFFSET_INDEX) + 1);
    }

    @Override
    public String roleName()
    {
        return "store";
    }
}
