// SPDX-License-Identifier: Apache-2.0
package org.odradek.affinity;

import org.agrona.concurrent.Agent;

import java.util.function.Consumer;

/**
 * Wraps an agent and pins its thread to a core from its start to its end. If the thread cannot be pinned, the agent
 * does not start: the runner passes the reason to its error handler and closes.
 */
public final class PinnedAgent implements Agent
{
    private final int core;
    private final Agent agent;
    private final Consumer<? super ThreadPinning> onPinned;
    private ThreadPinning pinning;

    /**
     * @param core     number, as {@code lscpu} shows it.
     * @param agent    that does the work.
     * @param onPinned called once on the agent's thread, after it was pinned.
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
        try
        {
            agent.onClose();
        }
        finally
        {
            if (pinning != null)
            {
                pinning.close();
            }
        }
    }

    @Override
    public String roleName()
    {
        return agent.roleName();
    }
}
