// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks;

import java.util.Locale;

/**
 * What {@code bench all} runs, in this order, and how long each may take on two cores that do nothing else, the start
 * of its brokers included.
 */
enum Scenario
{
    SIGNALFX(180, 2_820),
    IDLE(110, 640),
    CATCHUP(240, 1_160),
    LATENCY(150, 600),
    CHAIN(180, 1_590),
    SLE(120, 2_140),
    JMH(90, 480);

    private final int quickSeconds;
    private final int fullSeconds;

    Scenario(final int quickSeconds, final int fullSeconds)
    {
        this.quickSeconds = quickSeconds;
        this.fullSeconds = fullSeconds;
    }

    /**
     * @return the name of its command.
     */
    String command()
    {
        return name().toLowerCase(Locale.ROOT);
    }

    int expectedSeconds(final boolean isQuick)
    {
        return isQuick ? quickSeconds : fullSeconds;
    }
}
