// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.fetch;

import org.odradek.consumer.net.ConsumerEnvironment;
import org.odradek.consumer.net.DutyClock;
import org.odradek.consumer.status.ConsumerHistograms;

/**
 * How long the fetches of one broker take, where that is recorded; elsewhere not even the clock is read.
 */
final class FetchLatency
{
    private final DutyClock clock;
    private final ConsumerHistograms histograms;
    private long sentNs;

    FetchLatency(final ConsumerEnvironment environment)
    {
        clock = environment.clock();
        histograms = environment.histograms();
    }

    void onRequest()
    {
        if (histograms.isOn())
        {
            sentNs = clock.readNs();
        }
    }

    void onResponse()
    {
        if (histograms.isOn())
        {
            histograms.onFetch(clock.readNs() - sentNs);
        }
    }
}
