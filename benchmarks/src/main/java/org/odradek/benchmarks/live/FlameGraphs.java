// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.live;

import org.odradek.benchmarks.report.Attachment;
import org.odradek.testkit.JavaProcess;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Runs clients once more under async-profiler, after the turns, so that sampling is in no figure: once for CPU and once
 * for allocations, each in a JVM of its own.
 */
public final class FlameGraphs
{
    private final Path json;
    private final String scenario;
    private final int warmUpSeconds;
    private final int seconds;
    private final Consumer<String> progress;

    /**
     * @param json          the report's file; the graphs are written beside it.
     * @param scenario      for the names of the files.
     * @param warmUpSeconds before sampling.
     * @param seconds       sampled, for each client and event.
     * @param progress      is told if a graph cannot be made.
     */
    public FlameGraphs(
        final Path json,
        final String scenario,
        final int warmUpSeconds,
        final int seconds,
        final Consumer<String> progress)
    {
        this.json = json;
        this.scenario = scenario;
        this.warmUpSeconds = warmUpSeconds;
        this.seconds = seconds;
        this.progress = progress;
    }

    /**
     * @param clients that are sampled, one after the other.
     * @return what was written. Where sampling does not work the graph is missing: the figures stand without it.
     */
    public List<Attachment> write(final String caseName, final List<ClientSettings> clients)
        throws InterruptedException
    {
        final List<Attachment> attachments = new ArrayList<>();
        for (final ClientSettings client : clients)
        {
            for (final String event : List.of(Profiler.CPU, Profiler.ALLOCATIONS))
            {
                final String title = caseName + ", " + client.client() + ", " + event;
                final String name = Attachment.fileName(scenario, caseName, client.client() + "-" + event, "html");
                try
                {
                    sample(client, event, json.toAbsolutePath().resolveSibling(name));
                    attachments.add(new Attachment(title, Attachment.FLAME_GRAPH, name));
                }
                catch (final IllegalStateException ex)
                {
                    progress.accept(title + ": no flame graph: " + ex.getMessage());
                }
            }
        }
        return attachments;
    }

    private void sample(final ClientSettings settings, final String event, final Path file)
        throws InterruptedException
    {
        try (ClientProcess client = ClientProcess.start(settings.client(), settings, JavaProcess.of(ClientMain.class)
            .flags(ClientProcess.JVM_FLAGS.toArray(new String[0]))
            // Without it a sample is told only at the next safepoint.
            .flags("-XX:+UnlockDiagnosticVMOptions", "-XX:+DebugNonSafepoints")
            .args(Profiler.EVENT + "=" + event, Profiler.FILE + "=" + file)))
        {
            client.awaitStart();
            client.run();
            TimeUnit.SECONDS.sleep(warmUpSeconds);
            client.measure();
            TimeUnit.SECONDS.sleep(seconds);
            client.stop();
        }
    }
}
