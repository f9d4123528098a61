// SPDX-License-Identifier: Apache-2.0
package org.odradek.workers;

import org.agrona.CloseHelper;
import org.agrona.concurrent.Agent;
import org.agrona.concurrent.AgentRunner;
import org.agrona.concurrent.SleepingMillisIdleStrategy;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;

/** Workers whose dispatcher and agents run on threads of their own. The close stops the dispatcher first. */
final class RunningWorkers implements AutoCloseable
{
    private final Workers workers;
    private final List<AgentRunner> runners = new ArrayList<>();

    /** @param agents makes the agent of a worker's thread. */
    RunningWorkers(
        final Workers workers, final Function<Worker, Agent> agents, final Consumer<Throwable> onThrown)
    {
        this.workers = workers;
        start(workers.dispatcher(), onThrown);
        for (int w = 0; w < workers.count(); w++)
        {
            start(agents.apply(workers.worker(w)), onThrown);
        }
    }

    private void start(final Agent agent, final Consumer<Throwable> onThrown)
    {
        final AgentRunner runner = new AgentRunner(new SleepingMillisIdleStrategy(1), onThrown::accept, null, agent);
        runners.add(runner);
        AgentRunner.startOnThread(runner);
    }

    Workers workers()
    {
        return workers;
    }

    @Override
    public void close()
    {
        CloseHelper.closeAll(runners);
    }
}
