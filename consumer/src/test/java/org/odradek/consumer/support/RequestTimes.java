// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.support;

import org.odradek.consumer.ConsumerContext;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * When requests arrive, by a clock that each reading of it moves: a consumer that is to wait for a while works through
 * it, however fast the machine is, and no request times out, however slow it is. The backoffs have no jitter.
 */
public final class RequestTimes
{
    private static final long READING_NS = 2_000;

    private final AtomicLong nowNs = new AtomicLong();
    private final List<Long> times = new ArrayList<>();

    public ConsumerContext set(final ConsumerContext context)
    {
        return Reading.withoutTimeouts(context)
            .nanoClock(() -> nowNs.addAndGet(READING_NS)).random(() -> Long.MIN_VALUE);
    }

    /** Any thread may note a request. */
    public synchronized void note()
    {
        times.add(nowNs.get());
    }

    public synchronized int count()
    {
        return times.size();
    }

    /** Each request follows the one before after a delay at least, and there are no others. */
    public synchronized void assertDelays(final long... delaysMs)
    {
        final List<Long> delaysNs = new ArrayList<>();
        for (int i = 1; i < times.size(); i++)
        {
            delaysNs.add(times.get(i) - times.get(i - 1));
        }
        boolean isRight = delaysNs.size() == delaysMs.length;
        for (int i = 0; isRight && i < delaysMs.length; i++)
        {
            isRight = delaysNs.get(i) >= TimeUnit.MILLISECONDS.toNanos(delaysMs[i]);
        }
        assertTrue(isRight, "the delays in ns are " + delaysNs);
    }
}
