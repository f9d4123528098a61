// SPDX-License-Identifier: Apache-2.0
package org.odradek.simulation;

import org.odradek.client.Acknowledgements;
import org.odradek.publisher.InputBarrier;
import org.odradek.publisher.Publisher;

import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;

/**
 * The input that the user of a publisher pretends to publish from: each record that is accepted comes of the next
 * offset of a partition of the input. It checks that the {@link InputBarrier} acknowledges what the user has processed,
 * in its order, after everything that was published from it, and soon.
 */
final class PublishInputs implements Acknowledgements
{
    private static final String INPUT = "input";
    private static final int MAX_INPUTS = 4;
    private static final int MAX_EPOCH = 65_535;
    private static final int FEW = 8;
    private static final int SELDOM = 64;
    /** A user that waits calls again after this time at the latest. */
    private static final long SLACK_NS = TimeUnit.SECONDS.toNanos(1);
    private static final long NEVER_NS = Long.MAX_VALUE;

    /** A record that comes of an offset of the input. */
    private record Output(long offset, int partition, long position)
    {
    }

    /** What the user has said. */
    private record Processed(int ownershipEpoch, long nextOffset)
    {
    }

    /** A partition of the input. */
    private static final class Input
    {
        private final ArrayDeque<Output> outputs = new ArrayDeque<>();
        /** What was not acknowledged, in its order. */
        private final ArrayDeque<Processed> processed = new ArrayDeque<>();
        private int ownershipEpoch = 1;
        private long nextOffset;
        private long processedOffset;
    }

    private final PublishWorld world;
    private final Draw draw;
    private final InputBarrier barrier;
    private final Input[] inputs;
    private int current;
    /** The time of the user since when something waits to be passed on, or {@link #NEVER_NS}. */
    private long waitingNs = NEVER_NS;

    PublishInputs(final PublishWorld world, final Publisher publisher, final Draw draw)
    {
        this.world = world;
        this.draw = draw;
        final int intervalMs = world.publishing.inputIntervalMs;
        barrier = intervalMs == PublishScenario.NO_INPUT ? null : publisher.inputBarrier(this, intervalMs);
        inputs = new Input[barrier == null ? 0 : 1 + draw.below(MAX_INPUTS)];
        for (int i = 0; i < inputs.length; i++)
        {
            inputs[i] = new Input();
        }
    }

    /** A record was accepted. */
    void onAccepted(final int partition, final long position)
    {
        if (barrier != null)
        {
            final Input input = inputs[current];
            input.outputs.add(new Output(input.nextOffset++, partition, position));
        }
    }

    /** The user says how far it has processed the input, now or later, and continues with another partition of it. */
    void process()
    {
        if (barrier == null || draw.oneIn(2) && world.phase() == Phase.FAULTS)
        {
            return;
        }
        // Of some records nothing is published.
        inputs[current].nextOffset += draw.oneIn(FEW) && world.phase() == Phase.FAULTS ? 1 : 0;
        for (int i = 0; i < inputs.length; i++)
        {
            process(i);
        }
        current = draw.below(inputs.length);
    }

    private void process(final int index)
    {
        final Input input = inputs[index];
        if (input.nextOffset > input.processedOffset)
        {
            input.processedOffset = input.nextOffset;
            input.processed.add(new Processed(input.ownershipEpoch, input.nextOffset));
            barrier.processed(index, input.ownershipEpoch, input.nextOffset);
            waitingNs = Math.min(waitingNs, world.user.workedNs());
            input.ownershipEpoch = draw.oneIn(SELDOM) ? 1 + input.ownershipEpoch % MAX_EPOCH : input.ownershipEpoch;
        }
    }

    @Override
    public void acknowledge(final int partition, final int ownershipEpoch, final long nextOffset)
    {
        world.trace.event("input acknowledged", partition, nextOffset);
        final Input input = inputs[partition];
        Processed found = input.processed.poll();
        while (found != null && found.nextOffset < nextOffset)
        {
            found = input.processed.poll();
        }
        final Processed acknowledged = new Processed(ownershipEpoch, nextOffset);
        world.check(acknowledged.equals(found), INPUT, "what was processed of input " + partition +
            " and not acknowledged before, but found " + acknowledged + " where " + found + " was next");
        while (!input.outputs.isEmpty() && input.outputs.peek().offset < nextOffset)
        {
            final Output output = input.outputs.remove();
            final long end = world.ledger.track(output.partition).acknowledged;
            world.check(output.position <= end, INPUT, output + " to be acknowledged before offset " + nextOffset +
                " of input " + partition + ", but partition " + output.partition + " is at " + end);
        }
        if (draw.oneIn(SELDOM) && world.scenario.isOn(FaultKind.CALLBACK_THREW))
        {
            world.tookEffect(FaultKind.CALLBACK_THREW);
            throw new PlantedException("acknowledge");
        }
    }

    /**
     * The user has had the publisher work, after the end of the send interval or not.
     *
     * @param beganNs the time of the user before that: a lookup of a name may take seconds of it.
     */
    void check(final boolean isIntervalEnded, final long beganNs)
    {
        if (barrier == null)
        {
            return;
        }
        final boolean isAllAcknowledged = world.ledger.isAllAcknowledged();
        if (barrier.isPassed())
        {
            checkPassed();
            waitingNs = NEVER_NS;
        }
        else if (!isAllAcknowledged)
        {
            waitingNs = world.user.workedNs();
        }
        final long maxNs = SLACK_NS + TimeUnit.MILLISECONDS.toNanos(world.publishing.inputIntervalMs);
        final boolean isLate = waitingNs != NEVER_NS && beganNs - waitingNs > maxNs;
        world.check(!isLate && (!isIntervalEnded || !isAllAcknowledged || barrier.isPassed()), INPUT,
            "what was processed to be acknowledged " +
            (isIntervalEnded ? "at the end of the send interval" : "within " + maxNs / 1e9 + " s"));
    }

    /** The user is about to wait for so long, at most. */
    void checkDeadline(final long waitNs)
    {
        final long maxNs = TimeUnit.MILLISECONDS.toNanos(world.publishing.inputIntervalMs);
        world.check(barrier == null || waitNs <= maxNs || barrier.isPassed() || !world.ledger.isAllAcknowledged(),
            INPUT, "no wait of " + waitNs / 1e9 + " s while what was processed can be acknowledged");
    }

    /** The publisher was closed. */
    void checkClosed()
    {
        if (world.ledger.isAllAcknowledged())
        {
            checkPassed();
        }
    }

    private void checkPassed()
    {
        for (int i = 0; i < inputs.length; i++)
        {
            world.check(inputs[i].processed.isEmpty(), INPUT, "everything that was processed of input " + i +
                " to be acknowledged, but not " + inputs[i].processed.peekLast());
        }
    }
}
