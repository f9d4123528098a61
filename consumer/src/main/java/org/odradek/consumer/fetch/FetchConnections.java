// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.fetch;

import org.odradek.client.core.Backoff;
import org.odradek.client.core.ClientSettings;
import org.odradek.client.core.ConnectionRole;
import org.odradek.client.core.DutyClock;
import org.odradek.consumer.core.ConsumerSettings;
import org.odradek.consumer.core.Environment;
import org.odradek.consumer.handler.ConsumerCounters;

import java.util.Arrays;
import java.util.concurrent.TimeUnit;

import static org.odradek.client.core.DutyClock.earlier;

/**
 * Determines over how many connections the partitions of one broker are fetched, and over which of them each partition.
 * Lagging partitions are distributed over all usable connections, and return to the first connection at the ends of
 * their logs or when their connection fails.
 * <p>
 * If the settings do not fix the number, it is 1 at first. The number is raised to the number of lagging partitions, as
 * far as settings and memory allow, if a round trip takes 1 ms or more, the thread waits for more than half of the
 * time, and a response has the largest size or takes more than a round trip after its first byte.
 */
public final class FetchConnections
{
    private static final long DISTANT_NS = TimeUnit.MILLISECONDS.toNanos(1);
    /** Fewer connections suffice if they bring this fraction of the highest rate of a measurement. */
    private static final double ENOUGH = 0.9;
    /** Fewer connections do not suffice if one window brings less than this fraction of the highest rate. */
    private static final double TOO_LITTLE = 0.8;
    /**
     * A connection other than the first is closed when it was not used for this time, and is opened at most once in
     * this time.
     */
    static final long UNUSED_NS = TimeUnit.SECONDS.toNanos(30);
    /** A rate is measured over this number of responses per connection that is used. */
    private static final int WINDOW_RESPONSES = 2;
    private static final int NO_WINDOW = -1;
    /**
     * Buffers are shortened to make room for more connections if a response takes more than this number of round trips
     * after its first byte.
     */
    private static final int SHRINKING_ROUND_TRIPS = 8;
    /** The time in which buffers are shortened before a fixed number of connections is opened again. */
    private static final long SHRINKING_NS = TimeUnit.SECONDS.toNanos(1);
    private static final int SETTLED_RESPONSES = 2;
    private static final int NOT_READY = -1;
    private static final int NONE = -1;
    private static final String TOO_FEW = "half as many bring too little";

    private final int nodeId;
    private final ConsumerSettings settings;
    private final PartitionTable table;
    private final Environment environment;
    private final DutyClock clock;
    private final int most;
    private int limit;
    private String reason;
    /**
     * The number of responses of each connection since the connection was ready, up to {@link #SETTLED_RESPONSES}, or
     * {@link #NOT_READY}.
     */
    private final int[] responses;
    /** The length of the receive buffer of each connection in bytes; 0 if the connection is not open. */
    private final int[] capacities;
    private final long[] openedNs;
    private final int[] lagging;
    /** The number of partitions of each connection but the first that do not lag, such as paused ones. */
    private final int[] resting;
    /** The number of lagging partitions of all connections; {@link Integer#MAX_VALUE} if it is not known. */
    private int laggingCount = Integer.MAX_VALUE;
    private long roundTripNs = Long.MAX_VALUE;
    private int windowResponses = NO_WINDOW;
    private long windowBytes;
    private long windowNs;
    private long windowIdleNs;
    /** True if the thread has waited for more than half of the last window. */
    private boolean isWaiting = true;
    private boolean isMeasuring;
    /** The trial of half of the connections; the other connections stay open meanwhile. */
    private final Trial trial = new Trial();
    private int limitBefore;
    /** The rate of the first connection alone, in bytes per nanosecond; 0 if it is not known. */
    private double rateOfOne;
    /** The largest number of connections that is allowed before {@link #nextRaiseNs}. */
    private int learned;
    /**
     * The time from which the number of connections may exceed {@link #learned}, and at which a running measurement
     * ends.
     */
    private long nextRaiseNs;
    private int opening = NONE;
    private int reserved;
    private long throttledUntilNs;
    /** The backoff after the failure of a connection, before another one may be opened. */
    private final Backoff gap;
    /** True if the buffers should have their first lengths, to make room for another connection. */
    boolean isShrinking;

    public FetchConnections(final int nodeId, final PartitionTable table, final Environment environment)
    {
        this.nodeId = nodeId;
        this.table = table;
        this.environment = environment;
        settings = environment.settings();
        clock = environment.clock();
        most = settings.mostFetchConnections();
        limit = settings.isFetchConnectionsAuto() ? 1 : most;
        learned = limit;
        reason = settings.isFetchConnectionsAuto() ? "the first" : "as the settings say";
        responses = new int[most];
        Arrays.fill(responses, NOT_READY);
        capacities = new int[most];
        openedNs = new long[most];
        Arrays.fill(openedNs, clock.nowNs() - UNUSED_NS);
        lagging = new int[most];
        resting = new int[most];
        nextRaiseNs = clock.nowNs();
        throttledUntilNs = clock.nowNs();
        gap = new Backoff(ClientSettings.ns(settings.reconnectBackoffMaxMs), Trial.MAX_RETRY_NS, settings.random);
    }

    public int nodeId()
    {
        return nodeId;
    }

    void onOpened(final int number, final int capacity)
    {
        final boolean isFirst = ConnectionRole.of(number) == ConnectionRole.FIRST;
        capacities[number] = capacity;
        openedNs[number] = clock.nowNs();
        responses[number] = NOT_READY;
        environment.counters().add(ConsumerCounters.FETCH_CONNECTIONS_ADDED, isFirst ? 0 : 1);
        endReservation();
        opening = isFirst ? NONE : opening;
        if (isFirst && trial.isRunning)
        {
            // Nothing has been read from the broker meanwhile, so it is not known whether half as many suffice.
            restore("its partitions have left");
        }
    }

    void onReady(final int number)
    {
        responses[number] = Math.max(responses[number], 0);
        if (number == opening)
        {
            stopOpening();
            distribute();
        }
    }

    private void stopOpening()
    {
        opening = NONE;
        endReservation();
        table.changeAssignment();
        assert isConsistent();
    }

    private void endReservation()
    {
        environment.budget().endReservation(reserved);
        reserved = 0;
    }

    /** Returns the number of the connection to open, or that is being opened; negative if there is none. */
    public int opening()
    {
        return opening;
    }

    /**
     * Returns true if a connection other than the first stays open without partitions, because partitions are expected
     * to lag.
     */
    public boolean isKept(final int number)
    {
        final int kept = trial.isRunning ? limitBefore : limit;
        return number == opening || number < kept && responses[number] != NOT_READY;
    }

    void onUnused(final int number)
    {
        responses[number] = NOT_READY;
        for (int p = 0; p < table.capacity(); p++)
        {
            if (isMine(p) && table.partition(p).connection() == number)
            {
                table.connection(p, 0);
            }
        }
        table.changeAssignment();
    }

    void onClosed(final int number)
    {
        final boolean isFirst = ConnectionRole.of(number) == ConnectionRole.FIRST;
        capacities[number] = 0;
        responses[number] = NOT_READY;
        windowResponses = isFirst ? NO_WINDOW : windowResponses;
        if (number == opening || isFirst)
        {
            opening = NONE;
            endReservation();
        }
        environment.counters().add(ConsumerCounters.FETCH_CONNECTIONS_REMOVED, isFirst ? 0 : 1);
    }

    /**
     * @param hasAnswered true if the broker is known to accept the connection; if it is false, the failure of a
     *                    connection other than the first lowers the number of connections.
     */
    public void onFailed(final int number, final boolean hasAnswered)
    {
        responses[number] = NOT_READY;
        if (number == opening)
        {
            stopOpening();
        }
        if (ConnectionRole.of(number) == ConnectionRole.FIRST)
        {
            roundTripNs = Long.MAX_VALUE;
            return;
        }
        table.changeAssignment();
        if (clock.nowNs() - gap.deadlineNs() > Trial.MAX_RETRY_NS)
        {
            gap.succeeded();
        }
        if (gap.hasExpired(clock.nowNs()))
        {
            // If the backoff has not expired, several connections have failed together, which counts once.
            gap.failed(clock.nowNs());
        }
        for (int p = 0; p < table.capacity(); p++)
        {
            if (isMine(p) && table.partition(p).connection() == number)
            {
                table.partition(p).onResponse(false);
                table.connection(p, 0);
            }
        }
        // If the first connection has failed, too, the broker has ended.
        if (!hasAnswered && number < limit && responses[0] != NOT_READY)
        {
            lower(number, "the broker has refused another");
            block(Trial.MAX_RETRY_NS);
        }
    }

    /**
     * Makes all connections to the broker wait, because quotas apply to a user and a client id.
     *
     * @param untilNs the time at which the next request may be sent.
     */
    void onThrottled(final long untilNs)
    {
        throttledUntilNs += Math.max(0, untilNs - throttledUntilNs);
        lower(1, "the broker throttles the consumer");
        block(Trial.RETRY_NS);
    }

    /** Lowers the number of connections to 1, because batches are too large for the memory of several connections. */
    void onLargeBatch()
    {
        lower(1, "batches are too large");
        block(Trial.MAX_RETRY_NS);
    }

    private void block(final long delayNs)
    {
        learned = limit;
        raiseAfter(delayNs);
    }

    private void raiseAfter(final long delayNs)
    {
        nextRaiseNs += Math.max(0, clock.nowNs() + delayNs - nextRaiseNs);
    }

    void onReceived(final int number, final FetchSample sample)
    {
        responses[number] = Math.min(responses[number] + 1, SETTLED_RESPONSES);
        capacities[number] = sample.capacity;
        if (limit > 1 && memoryLeft() < 0)
        {
            onLargeBatch();
        }
        roundTripNs = Math.min(roundTripNs, sample.roundTripNs);
        if (windowResponses != NO_WINDOW)
        {
            windowBytes += sample.length;
            windowResponses++;
        }
    }

    void onPlainResponse(final FetchSample sample, final boolean isLargest)
    {
        if (sample.isMoreInLog)
        {
            onLag(sample, isLargest);
        }
        else if (openCount() == 1)
        {
            onEnd();
        }
        else
        {
            distribute();
            // The time until partitions lag again does not belong to a window.
            windowResponses = laggingCount == 0 ? NO_WINDOW : windowResponses;
        }
    }

    boolean isWithinRoundTrip(final FetchSample sample)
    {
        return sample.receiveNs <= roundTripNs;
    }

    private void onLag(final FetchSample sample, final boolean isLargest)
    {
        if (isMeasuring)
        {
            measure();
        }
        else if (isAuto())
        {
            raiseIfLimited(sample, isLargest || !isWithinRoundTrip(sample));
        }
        else if (limit < most && nextRaiseNs - clock.nowNs() <= 0)
        {
            returnToSettings();
        }
        distribute();
    }

    private void returnToSettings()
    {
        if (memoryLeft() >= 0)
        {
            isShrinking = false;
            limit(most, "as the settings say");
        }
        else
        {
            raiseAfter(isShrinking ? Trial.MAX_RETRY_NS : SHRINKING_NS);
            isShrinking = !isShrinking;
        }
    }

    private void onEnd()
    {
        windowResponses = NO_WINDOW;
        laggingCount = Integer.MAX_VALUE;
        isShrinking = false;
        if (isAuto())
        {
            lower(1, "the logs were read to their ends");
        }
    }

    private void raiseIfLimited(final FetchSample sample, final boolean isLimited)
    {
        if (windowResponses == NO_WINDOW)
        {
            beginWindow();
        }
        if (windowResponses < (isShrinking ? WINDOW_RESPONSES * openCount() : 1))
        {
            return;
        }
        final boolean wasShrinking = isShrinking;
        endWindow();
        isShrinking = false;
        if (mayRaise() && isWaiting && (isLimited || wasShrinking))
        {
            count();
            if (laggingCount > limit && !raise(sample))
            {
                onShortMemory(sample, wasShrinking);
            }
        }
    }

    /** @return false if there is no memory for another connection. */
    private boolean raise(final FetchSample sample)
    {
        int more = Math.min(mostNow(), laggingCount);
        while (more > limit && !isRoomFor(more - openCount()))
        {
            more--;
        }
        if (more == limit)
        {
            return false;
        }
        rateOfOne = limit == 1 ? (double)sample.length / (roundTripNs + sample.receiveNs) : rateOfOne;
        isMeasuring = mostNow() == most;
        if (isMeasuring)
        {
            learned = more;
            raiseAfter(Trial.RETRY_NS);
        }
        limit(more, "the thread waits for a distant broker");
        return true;
    }

    private void onShortMemory(final FetchSample sample, final boolean wasShrinking)
    {
        isShrinking = !wasShrinking && sample.receiveNs / SHRINKING_ROUND_TRIPS > roundTripNs;
        if (!isShrinking)
        {
            block(trial.retryNs);
        }
    }

    private void measure()
    {
        if (!isSettled())
        {
            windowResponses = NO_WINDOW;
        }
        else if (windowResponses == NO_WINDOW)
        {
            beginWindow();
        }
        else if (windowResponses >= WINDOW_RESPONSES * usedCount())
        {
            onRate(endWindow());
        }
        if (isMeasuring && nextRaiseNs - clock.nowNs() <= 0)
        {
            if (trial.isRunning)
            {
                restore(TOO_FEW);
            }
            else
            {
                endMeasurement();
            }
        }
    }

    private void onRate(final double rate)
    {
        if (!trial.isRunning || rate >= trial.rateBefore * ENOUGH)
        {
            halve(rate);
        }
        else if (rate < trial.rateBefore * TOO_LITTLE || trial.doubt())
        {
            restore(TOO_FEW);
        }
    }

    private void halve(final double rate)
    {
        double highest = rate;
        if (trial.isRunning)
        {
            // The others are closed. What each halving may lose must not add up.
            highest = Math.max(rate, trial.rateBefore);
            trial.isRunning = false;
            table.changeAssignment();
        }
        final int half = usedCount() / 2;
        if (half == 0 || rateOfOne > 0 && half * rateOfOne < highest * ENOUGH)
        {
            endMeasurement();
        }
        else
        {
            trial.begin(highest);
            limitBefore = limit;
            windowResponses = NO_WINDOW;
            limit(half, "half as many may suffice");
        }
    }

    private void restore(final String why)
    {
        trial.isRunning = false;
        limit(limitBefore, why);
        endMeasurement();
    }

    private void endMeasurement()
    {
        isMeasuring = false;
        if (limit < learned)
        {
            block(trial.undo());
        }
        else
        {
            trial.succeed();
            nextRaiseNs = clock.nowNs();
        }
        assert isConsistent();
    }

    private void beginWindow()
    {
        windowResponses = 0;
        windowBytes = 0;
        windowNs = clock.nowNs();
        windowIdleNs = clock.idleNs();
    }

    /** @return the rate of the window that has ended, in bytes per nanosecond. */
    private double endWindow()
    {
        final long elapsedNs = clock.nowNs() - windowNs;
        final double rate = (double)windowBytes / Math.max(1, elapsedNs);
        isWaiting = 2 * (clock.idleNs() - windowIdleNs) > elapsedNs;
        beginWindow();
        return rate;
    }

    private boolean mayRaise()
    {
        return isAuto() && !isMeasuring && limit < mostNow() && roundTripNs >= DISTANT_NS;
    }

    private int mostNow()
    {
        return nextRaiseNs - clock.nowNs() <= 0 ? most : learned;
    }

    boolean isEnough()
    {
        return isSteady() && (!mayRaise() || !isWaiting || laggingCount <= limit);
    }

    /** Returns true if the number of connections is not being measured and buffers are not being shortened. */
    boolean isSteady()
    {
        return !isMeasuring && !isShrinking;
    }

    /** Returns true if a round trip takes less than 1 ms. */
    boolean isNear()
    {
        return roundTripNs < DISTANT_NS;
    }

    /**
     * Returns the time at which the broker allows the next request, or {@code otherwiseNs} if that is earlier or a
     * request is allowed now.
     */
    long nextDeadlineNs(final long otherwiseNs)
    {
        return isThrottled() ? earlier(throttledUntilNs, otherwiseNs) : otherwiseNs;
    }

    boolean isThrottled()
    {
        return throttledUntilNs - clock.nowNs() > 0;
    }

    void capacity(final int number, final int length)
    {
        capacities[number] = length;
    }

    /**
     * Returns the bytes of {@code fetchMemory} that are left after each usable connection has a buffer; the number may
     * be negative.
     */
    long memoryLeft()
    {
        long left = settings.fetchMemory;
        for (int number = 0; number < most; number++)
        {
            final boolean isUsable = number < limit || !isAuto();
            left -= capacities[number] == 0 && isUsable ? settings.receiveBufferLength() : capacities[number];
        }
        return left;
    }

    private boolean isRoomFor(final int count)
    {
        long left = settings.fetchMemory;
        for (final int capacity : capacities)
        {
            left -= capacity;
        }
        final int needed = count * settings.receiveBufferLength();
        return needed <= left && environment.budget().isWithin(needed);
    }

    private boolean isAuto()
    {
        return settings.isFetchConnectionsAuto();
    }

    private boolean isMine(final int partition)
    {
        return table.isAssigned(partition) && table.partition(partition).nodeId() == nodeId;
    }

    private boolean isLagging(final int partition)
    {
        return isMine(partition) && table.partition(partition).isLagging() &&
            table.isFetchable(partition, clock.nowNs());
    }

    private int openCount()
    {
        int count = 0;
        for (final int capacity : capacities)
        {
            count += capacity > 0 ? 1 : 0;
        }
        return count;
    }

    /** Returns true if lagging partitions use as many settled connections as possible, and none beyond the limit. */
    private boolean isSettled()
    {
        int used = 0;
        int leaving = 0;
        for (int number = 0; number < most; number++)
        {
            used += number < limit && lagging[number] > 0 && responses[number] >= SETTLED_RESPONSES ? 1 : 0;
            leaving += number < limit ? 0 : lagging[number];
        }
        return used > 0 && used >= usedCount() && leaving == 0;
    }

    private int usedCount()
    {
        return Math.min(limit, laggingCount);
    }

    private void count()
    {
        Arrays.fill(lagging, 0);
        Arrays.fill(resting, 0);
        laggingCount = 0;
        for (int p = 0; p < table.capacity(); p++)
        {
            final int number = table.partition(p).connection();
            if (isLagging(p))
            {
                lagging[number]++;
                laggingCount++;
            }
            else if (ConnectionRole.of(number) == ConnectionRole.FURTHER && isMine(p))
            {
                resting[number]++;
            }
        }
    }

    void distribute()
    {
        if (limit > 1 || trial.isRunning)
        {
            count();
            deal();
        }
    }

    /**
     * Moves lagging partitions to connections with fewer of them, which discards the data of these partitions in
     * flight. A partition that does not lag counts in the target connection, so that no other partition takes its
     * place.
     */
    private void deal()
    {
        final int usable = usableCount();
        for (int p = 0; p < table.capacity() && usable > 1; p++)
        {
            final int from = isLagging(p) ? table.partition(p).connection() : NONE;
            // With many partitions, a connection above the average need not be the fullest one to give up a partition.
            if (from >= 0 && ((lagging[from] - 1) * usable >= laggingCount || lagging[from] == lagging[fullest()]))
            {
                final int to = emptiest(usable);
                if (lagging[from] - lagging[to] - resting[to] >= 2)
                {
                    move(p, to);
                }
            }
        }
        if (lagging[fullest()] >= 2 && mayOpen(usable))
        {
            opening = usable;
            reserved = settings.receiveBufferLength();
            environment.budget().reserve(reserved);
            table.changeAssignment();
        }
        assert isConsistent() && areCounted();
    }

    private boolean mayOpen(final int number)
    {
        return opening == NONE && ConnectionRole.of(number) == ConnectionRole.FURTHER && number < limit &&
            capacities[number] == 0 &&
            clock.nowNs() - openedNs[number] >= UNUSED_NS && gap.hasExpired(clock.nowNs()) && isRoomFor(1);
    }

    private int usableCount()
    {
        int number = 0;
        while (number < limit && responses[number] != NOT_READY)
        {
            number++;
        }
        return number;
    }

    private int fullest()
    {
        int fullest = 0;
        for (int number = 1; number < most; number++)
        {
            fullest = lagging[number] > lagging[fullest] ? number : fullest;
        }
        return fullest;
    }

    private int emptiest(final int usable)
    {
        int emptiest = 0;
        for (int number = 1; number < usable; number++)
        {
            emptiest = lagging[number] + resting[number] < lagging[emptiest] + resting[emptiest] ? number : emptiest;
        }
        return emptiest;
    }

    private void move(final int partition, final int to)
    {
        final int one = isLagging(partition) ? 1 : 0;
        lagging[table.partition(partition).connection()] -= one;
        lagging[to] += one;
        table.connection(partition, to);
    }

    /** The connections beyond the new number send no more requests, and then give up their partitions. */
    private void lower(final int newLimit, final String newReason)
    {
        if (isMeasuring)
        {
            trial.isRunning = false;
            isMeasuring = false;
            nextRaiseNs = clock.nowNs();
        }
        if (newLimit < limit)
        {
            limit(newLimit, newReason);
        }
    }

    boolean isLeaving(final int number)
    {
        return number >= limit;
    }

    /** Moves the partitions of a connection that has nothing in flight and nothing to deliver to other connections. */
    void leave(final int leaving)
    {
        count();
        for (int p = 0; p < table.capacity(); p++)
        {
            if (isMine(p) && table.partition(p).connection() == leaving)
            {
                move(p, isLagging(p) ? emptiest(Math.max(1, usableCount())) : 0);
            }
        }
    }

    private void limit(final int newLimit, final String newReason)
    {
        final int before = limit;
        limit = newLimit;
        if (opening >= limit)
        {
            stopOpening();
        }
        reason = newReason;
        assert isConsistent();
        environment.listener().onFetchConnections(nodeId, before, newLimit, newReason);
    }

    private boolean isConsistent()
    {
        // There is a first connection, and there are no more connections than the settings allow.
        return limit >= 1 && limit <= most &&
            // The connection that is being opened is not the first, is within the limit, and alone has reserved memory.
            (opening == NONE ? reserved == 0 : opening >= 1 && opening < limit) &&
            // A trial is part of a measurement, and has fewer connections than there were before it.
            (!trial.isRunning || isMeasuring && limitBefore > limit && limitBefore <= learned);
    }

    private boolean areCounted()
    {
        int counted = 0;
        for (int number = 0; number < most; number++)
        {
            counted += lagging[number];
        }
        return counted == laggingCount;
    }

    @Override
    public String toString()
    {
        return openCount() + " of " + limit + " connections (" + reason + ")" +
            (roundTripNs == Long.MAX_VALUE ? "" : ", round trip " + roundTripNs / 1000 + " us");
    }
}
