// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.affinity;

import org.agrona.concurrent.Agent;

import java.util.function.Consumer;

/**
 * An agent whose thread is pinned to a core from its start to its end. If that cannot be, it does not start: the
 * runner's error handler is told why, and the runner closes.
 */
public final class PinnedAgent implements Agent
{
    private final int core;
    private final Agent agent;
    private final Consumer<? super ThreadPinning> onPinned;
    private ThreadPinning pinning;

    /**
     * @param core     to pin to, as {@code lscpu} counts.
     * @param agent    that does the work.
     * @param onPinned is told once what holds, on the agent's thread.
     */
    public PinnedAgent(final int core, final Agent agent, final Consumer<? super ThreadPinning> onPinned)
    {
        this.core = core;
        this.agent = agent;
        this.onPinned = onPinned;
    }

    @Override
    public void onStart()
    {
        pinning = ThreadPinning.pin(core);
        onPinned.accept(pinning);
        agent.onStart();
    }

    @Override
    public int doWork() throws Exception
    {
        return agent.doWork();
    }

    @Override
    public void onClose()
    {
        agent.onClose();
        if (pinning != null)
        {
            pinning.close();
        }
    }

    @Override
    public String roleName()
    {
        return agent.roleName();
    }
}
