// SPDX-License-Identifier: Apache-2.0
package org.odradek.simulation;

import org.odradek.client.ClientException;
import org.odradek.publisher.Compression;
import org.odradek.publisher.OfferResult;
import org.odradek.publisher.Publisher;
import org.odradek.publisher.PublisherCounters;
import org.odradek.publisher.PublisherState;
import org.odradek.publisher.TopicPublisher;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The thread of a publisher's user: offers and claims records, aborts some claims, ends send intervals, waits, goes on
 * after failures with what else was accepted or without, stalls, and closes the publisher and opens another one.
 */
final class PublishUser
{
    private static final FaultKind[] KINDS =
        {FaultKind.USER_STALLED, FaultKind.USER_STALLED, FaultKind.CONSUMER_REOPENED};
    private static final int REOPEN_SELDOM = 4;
    private static final long MAX_CALL_NS = 20_000;
    private static final long MIN_STALL_NS = 10_000_000;
    private static final long MAX_STALL_NS = TimeUnit.SECONDS.toNanos(20);
    private static final long MAX_WAIT_NS = TimeUnit.MILLISECONDS.toNanos(500);
    /** Between two calls of a thread that does not ask when something is due. */
    private static final long AGENT_NS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long MIN_MEAN_NS = 100_000;
    private static final long MAX_MEAN_NS = TimeUnit.SECONDS.toNanos(2);
    private static final long MAX_STRETCH_NS = TimeUnit.SECONDS.toNanos(10);
    /** Bursts of a stretch, about. */
    private static final int MAX_BURSTS = 100;
    private static final int MAX_BURST = 40;
    private static final int FEW = 8;
    private static final long MAX_CLOSE_NS = TimeUnit.SECONDS.toNanos(10);

    private final PublishWorld world;
    private final SimulatedClock clock;
    private final PublishLedger ledger;
    private final Draw draw;
    private final Draw inputDraw;
    private final Draw skipDraw;
    private final Draw nextDraw;
    private final boolean isAgent;
    private final WaitRate rate = new WaitRate();
    private Publisher publisher;
    private PublisherState state;
    private final List<TopicPublisher> topics = new ArrayList<>();
    private PublishInputs inputs;
    private PublishOffers offers;
    private long nextActionNs;
    private long nextOfferNs;
    private long stretchEndNs;
    private long meanNs;
    private long stalledNs;
    /** What a probe must not change. */
    private long probed;
    /** Each partition has accepted a record of the probe. */
    private boolean isProbed;
    /** The partition that is offered the next record of a probe. */
    private int nextProbe;
    private boolean isSettled;
    private long allDueNs;
    /** When the publisher has compressed much in one call last. */
    private long compressedNs;
    /** Batches that were sent and not acknowledged before this phase: sent again, or given up. */
    private long unansweredBefore;
    /** Since the last work of the publisher. */
    private boolean isIntervalEnded;

    PublishUser(final PublishWorld world)
    {
        this.world = world;
        clock = world.clock;
        ledger = world.ledger;
        draw = new Draw(world.scenario.seed, "publishing user");
        inputDraw = new Draw(world.scenario.seed, "input");
        skipDraw = new Draw(world.scenario.seed, "all skipped");
        nextDraw = new Draw(world.scenario.seed, "records without a key");
        isAgent = draw.oneIn(4);
    }

    void open()
    {
        publisher = null;
        while (publisher == null)
        {
            try
            {
                publisher = Publisher.connect(world.publishing.context()
                    .bootstrapServers(world.network.bootstrapServers())
                    .poller(world.poller)
                    .nanoClock(clock)
                    .epochClock(clock)
                    .random(new Draw(world.scenario.seed, "random of publisher"))
                    .nameResolver(world.network)
                    .listener(ledger)
                    .errorHandler((error) -> world.trace.text("error: " + error.getMessage())));
            }
            catch (final ClientException ex)
            {
                // No name could be looked up.
                clock.spend(MIN_STALL_NS);
            }
        }
        state = new PublisherState(publisher);
        world.onOpen();
        isProbed = false;
        topics.clear();
        world.names().forEach((name) -> topics.add(publisher.topic(name)));
        inputs = new PublishInputs(world, publisher, inputDraw);
        offers = new PublishOffers(world, publisher, topics, inputs, draw);
    }

    void close()
    {
        final boolean isAcknowledged = publisher.close(draw.oneIn(2) ? 0 : draw.logBetween(1, MAX_CLOSE_NS));
        world.check(isAcknowledged == ledger.isAllAcknowledged(), "wait", "a close to return " + !isAcknowledged);
        offers.checkClaims(publisher.counters());
        ledger.check(topics);
        inputs.checkClosed();
        world.check(ledger.isAllReported(), "reports", "a close to report everything");
        world.check(state.heldBytes() == 0 && state.areAllBatchesFree() && world.poller.socketCount() == 0,
            "memory", "nothing to be held after a close, but there are " + world.poller.socketCount() + " sockets");
        world.check(topics.get(0).tryClaim(0, 0, 0) == OfferResult.CLOSED, "position",
            "nothing to be accepted after a close");
    }

    void onPhase()
    {
        isProbed = false;
        nextProbe = 0;
        isSettled = false;
        nextOfferNs = clock.nowNs();
        unansweredBefore = unanswered();
    }

    /** The time in nanoseconds in which neither the user nor a slow lookup has kept the publisher from working. */
    long workedNs()
    {
        return clock.nowNs() - stalledNs - world.faults.slowLookupNs();
    }

    /** When everything was due last: the user has ended the send interval, or no memory was left. */
    long allDueNs()
    {
        return allDueNs;
    }

    /** When the publisher has compressed more than half of a batch in one call last. */
    long compressedNs()
    {
        return compressedNs;
    }

    boolean isSettled()
    {
        return isSettled;
    }

    void step()
    {
        if (world.phase() == Phase.FAULTS && clock.nowNs() >= nextActionNs)
        {
            nextActionNs = clock.nowNs() + draw.exponential(TimeUnit.MILLISECONDS.toNanos(
                KINDS.length * world.scenario.faultEveryMs));
            act(draw.pick(KINDS));
        }
        goOn();
        isIntervalEnded = false;
        publish();
        if (!offers.isClaimOpen())
        {
            inputs.process();
        }
        final long beganNs = workedNs();
        allDueNs = !offers.isClaimOpen() && publisher.hasRoom(1) ? allDueNs : clock.nowNs();
        final long batched = publisher.counters().get(PublisherCounters.BYTES_BATCHED);
        final int work = publisher.doWork();
        checkCompressed(publisher.counters().get(PublisherCounters.BYTES_BATCHED) - batched);
        offers.checkClaims(publisher.counters());
        ledger.check(topics);
        inputs.check(isIntervalEnded, beganNs);
        checkBudget();
        if (work == 0)
        {
            goOn();
            await();
        }
        clock.spend(draw.between(100, MAX_CALL_NS));
    }

    private void checkCompressed(final long length)
    {
        final boolean isCompressing = world.publishing.compression != Compression.NONE;
        world.check(!isCompressing || length <= world.publishing.batchLength, "compression", "no more than " +
            world.publishing.batchLength + " bytes to be compressed in a call, but " + length + " were");
        compressedNs = isCompressing && length > world.publishing.batchLength / 2 ? clock.nowNs() : compressedNs;
    }

    private long unanswered()
    {
        return publisher.counters().get(PublisherCounters.BATCHES_SENT) -
            publisher.counters().get(PublisherCounters.BATCHES_ACKNOWLEDGED);
    }

    /** Whether something must be sent now, because nothing is in flight, and it is full or no memory is left. */
    private boolean isDue()
    {
        return world.phase() == Phase.FLOWING && unanswered() == unansweredBefore && !world.traffic.isThrottled() &&
            world.sasl == null && !ledger.isAllReported() && (ledger.hasFullBatch() || !publisher.hasRoom(1));
    }

    private void act(final FaultKind kind)
    {
        if (!world.scenario.isOn(kind) || kind == FaultKind.CONSUMER_REOPENED && !draw.oneIn(REOPEN_SELDOM))
        {
            return;
        }
        world.tookEffect(kind);
        if (kind == FaultKind.CONSUMER_REOPENED)
        {
            close();
            open();
            return;
        }
        final long startNs = clock.nowNs();
        clock.spend(draw.logBetween(MIN_STALL_NS, MAX_STALL_NS));
        stalledNs += clock.nowNs() - startNs;
    }

    /** Has partitions that have stopped go on: at once, or some time later. */
    private void goOn()
    {
        for (int t = 0; t < topics.size(); t++)
        {
            final TopicPublisher topic = topics.get(t);
            for (int partition = 0; partition < topic.partitionCount(); partition++)
            {
                if (topic.isStopped(partition) && (world.phase() != Phase.FAULTS || draw.oneIn(100)))
                {
                    skip(topic, partition, world.key(world.names().get(t), partition));
                }
            }
        }
    }

    private void skip(final TopicPublisher topic, final int partition, final int key)
    {
        if (world.phase() == Phase.FAULTS && skipDraw.oneIn(FEW))
        {
            ledger.onSkippingAll(key);
            topic.skipAll(partition);
            ledger.onAllSkipped(key);
        }
        else
        {
            topic.skipFailed(partition);
        }
        ledger.onSkipped(key);
    }

    /** Returns all partitions that there are. */
    private List<Integer> keys()
    {
        final List<Integer> keys = new ArrayList<>();
        for (int t = 0; t < topics.size(); t++)
        {
            for (int partition = 0; partition < world.partitionCount(t); partition++)
            {
                keys.add(world.key(world.names().get(t), partition));
            }
        }
        return keys;
    }

    private boolean isKnown(final int key)
    {
        return PublishWorld.partitionOf(key) < topics.get(PublishWorld.topicOf(key)).partitionCount();
    }

    private boolean isStopped(final int key)
    {
        return topics.get(PublishWorld.topicOf(key)).isStopped(PublishWorld.partitionOf(key));
    }

    private void publish()
    {
        switch (world.phase())
        {
            case FAULTS, FLOWING ->
            {
                // A backlog may be too long for a slow network.
                if (clock.nowNs() >= nextOfferNs && (world.phase() == Phase.FAULTS || ledger.isAllReported()))
                {
                    offerBurst();
                }
            }
            case SETTLING -> probe();
            default -> nextOfferNs = Long.MAX_VALUE;
        }
    }

    /** Offers a record to each partition that there is, when everything before was reported; and again after that. */
    private void probe()
    {
        nextOfferNs = Long.MAX_VALUE;
        final List<Integer> keys = keys();
        if (nextProbe == 0 && ledger.isAllReported() && keys.stream().allMatch(this::isKnown))
        {
            isSettled = isProbed && failures() == probed && publisher.nextDeadlineNs() - clock.readNs() > 0;
            probed = failures();
            isProbed = false;
        }
        else if (nextProbe == 0)
        {
            return;
        }
        // With little memory not all are accepted at once.
        while (!isSettled && nextProbe < keys.size() && !isStopped(keys.get(nextProbe)) &&
            offers.offer(keys.get(nextProbe)))
        {
            nextProbe++;
        }
        if (nextProbe >= keys.size())
        {
            nextProbe = 0;
            isProbed = true;
        }
    }

    /** What must not happen while all is well. */
    long failures()
    {
        final PublisherCounters counters = publisher.counters();
        return counters.get(PublisherCounters.BATCHES_RESENT) + counters.get(PublisherCounters.BATCHES_FAILED) +
            counters.get(PublisherCounters.EPOCH_BUMPS);
    }

    private void offerBurst()
    {
        if (clock.nowNs() >= stretchEndNs)
        {
            meanNs = draw.logBetween(MIN_MEAN_NS, MAX_MEAN_NS);
            stretchEndNs = clock.nowNs() + draw.logBetween(meanNs, Math.min(meanNs * MAX_BURSTS, MAX_STRETCH_NS));
        }
        nextOfferNs = clock.nowNs() + draw.exponential(meanNs);
        final int t = topics.size() == 1 ? 0 : draw.below(topics.size());
        final int first = world.key(world.names().get(t), 0);
        final int count = Math.min(topics.get(t).partitionCount(), Math.max(1, world.partitionCount(t)));
        final int only = draw.oneIn(2) ? draw.below(Math.max(1, count)) : -1;
        final boolean isKeyless = nextDraw.oneIn(2);
        boolean isAccepted = count > 0;
        final int most = world.phase() == Phase.FAULTS ? MAX_BURST : FEW;
        for (int i = (int)draw.logBetween(1, most); i > 0 && isAccepted; i--)
        {
            final int drawn = first + (only >= 0 ? only : draw.below(count));
            isAccepted = offers.offer(isKeyless ? offers.next(t) : drawn);
        }
        if (draw.oneIn(8) && !offers.isClaimOpen())
        {
            allDueNs = clock.nowNs();
            publisher.endSendInterval();
            isIntervalEnded = true;
        }
        if (draw.oneIn(60) && world.phase() == Phase.FAULTS)
        {
            allDueNs = clock.nowNs();
            awaitAcknowledged(draw.logBetween(1, TimeUnit.SECONDS.toNanos(2)));
            inputs.check(true, workedNs());
            isIntervalEnded = false;
        }
    }

    /** It ends before its time only if all is reported, or a batch is given up meanwhile. */
    private void awaitAcknowledged(final long timeoutNs)
    {
        final long startNs = clock.nowNs();
        final long failed = publisher.counters().get(PublisherCounters.BATCHES_FAILED);
        final boolean isAcknowledged = publisher.awaitAcknowledged(timeoutNs);
        offers.checkClaims(publisher.counters());
        world.check(isAcknowledged == ledger.isAllAcknowledged(), "wait", "a wait for acknowledgements to return " +
            !isAcknowledged);
        world.check(ledger.isAllReported() || clock.nowNs() - startNs >= timeoutNs ||
            publisher.counters().get(PublisherCounters.BATCHES_FAILED) > failed, "wait",
            "a wait for acknowledgements to last " + timeoutNs / 1e9 + " s, but it ended after " +
            (clock.nowNs() - startNs) / 1e9 + " s");
    }

    /** Waits until the user, or the publisher, has something to do. */
    private void await()
    {
        final long offerNs = ledger.isAllReported() || world.phase() == Phase.FAULTS ? nextOfferNs : Long.MAX_VALUE;
        final long userNs = Math.min(offerNs - clock.nowNs(),
            world.phase() == Phase.FAULTS ? nextActionNs - clock.nowNs() : MAX_WAIT_NS);
        final long deadlineNs = publisher.nextDeadlineNs() - clock.readNs();
        inputs.checkDeadline(deadlineNs);
        world.check(deadlineNs <= 0 || !isDue(), "interval", "no wait of " + deadlineNs / 1e6 +
            " ms with a full batch, or without memory");
        final long publisherNs = isAgent ? AGENT_NS : deadlineNs;
        final long waitNs = Math.min(MAX_WAIT_NS, Math.min(userNs, publisherNs));
        if (waitNs > 0)
        {
            world.poller.await(waitNs);
        }
        // A whole request through a small send buffer ends a wait for each piece of it.
        world.check(rate.isAllowed(clock.nowNs()) || world.publishing.isSlow, "busy",
            "no more than " + WaitRate.MAX_PER_SECOND + " waits per second");
    }

    private void checkBudget()
    {
        if (!draw.oneIn(20))
        {
            return;
        }
        world.check(state.heldBytes() <= state.budgetBytes(), "memory",
            "no more than the budget of " + state.budgetBytes() + " bytes, but found " + state.heldBytes());
        world.check(!ledger.isAllReported() || state.areAllBatchesFree(), "memory", "all slabs to be free");
    }

    String describe()
    {
        return publisher == null ? "no publisher" : publisher.describe();
    }
}
