// SPDX-License-Identifier: Apache-2.0
package org.odradek.micrometer;

import org.HdrHistogram.Histogram;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.status.CountersReader;
import org.junit.jupiter.api.Test;
import org.odradek.client.ClientCounters;
import org.odradek.consumer.handler.ConsumerCounters;

import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;

class HistogramWindowTest
{
    private long nowNs = Long.MAX_VALUE - 7;
    private final Histogram live = new Histogram(1, 1_000_000, 3);
    private final ConsumerCounters counters = new ConsumerCounters(
        new ClientCounters(new UnsafeBuffer(new byte[ClientCounters.count() * CountersReader.COUNTER_LENGTH]))
        {
        });
    private final HistogramWindow window = new HistogramWindow(() -> nowNs, counters, live, 1_000);

    private void pass(final long seconds)
    {
        nowNs += TimeUnit.SECONDS.toNanos(seconds);
    }

    private void record(final int count, final long value)
    {
        live.recordValueWithCount(value, count);
    }

    @Test
    void shouldShowQuantilesAndTheMeanInSeconds()
    {
        assertEquals(Double.NaN, window.quantile(0.5));
        record(99, 20);
        record(1, 1_500);
        pass(1);

        assertEquals(0.02, window.quantile(0.5));
        assertEquals(0.02, window.quantile(0.99));
        assertEquals(1.5, window.quantile(1), 0.001);
        assertEquals((99 * 20 + 1_500) / 100e3, window.mean(), 0.0001);
    }

    @Test
    void shouldForgetInOneToTwoMinutes()
    {
        record(5, 900);
        pass(1);
        assertEquals(0.9, window.quantile(0.5), 0.001);
        pass(60);
        assertEquals(0.9, window.quantile(0.5), 0.001);
        record(1, 7);
        pass(58);
        assertEquals(0.9, window.quantile(0.5), 0.001);
        assertEquals(0.007, window.quantile(0.1));
        pass(2);
        assertEquals(0.007, window.quantile(1));
        pass(60);
        assertEquals(Double.NaN, window.quantile(1));
    }

    @Test
    void shouldNotShowAgainWhatALongAgoReadingHasShown()
    {
        record(5, 900);
        pass(1);
        assertEquals(0.9, window.quantile(1), 0.001);
        pass(3_600);
        assertEquals(Double.NaN, window.quantile(1));
        record(1, 7);
        pass(3_600);
        assertEquals(0.007, window.quantile(1));
        pass(59);
        assertEquals(0.007, window.quantile(1));
        pass(1);
        assertEquals(Double.NaN, window.quantile(1));
    }

    @Test
    void shouldBeginAgainWhenTheUserResetsTheHistogram()
    {
        record(5, 900);
        pass(61);
        window.quantile(1);
        pass(61);
        window.quantile(1);
        live.reset();
        record(2, 30);
        pass(1);

        assertEquals(0.03, window.quantile(1));
        record(2, 50);
        pass(1);
        assertEquals(0.05, window.quantile(1));
        assertEquals(0.04, window.mean(), 0.0001);
    }
}
