// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.scenarios;

import org.HdrHistogram.Histogram;
import org.odradek.benchmarks.report.Usage;
import org.odradek.benchmarks.rig.BacklogRun;
import org.odradek.benchmarks.rig.EachSecond.Second;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.LongSupplier;
import java.util.function.ToDoubleFunction;

/**
 * Shows the progress of the demo. On a terminal it redraws a table with each figure; elsewhere it writes a line for
 * each second of a client. It keeps the figures for the page.
 */
final class DemoScreen implements BacklogRun.Watcher
{
    /** How it is drawn: as lines, in place, or in place with colours. */
    enum Form
    {
        LINES, PLAIN, COLOURED
    }

    private static final String CELLS = "%-16s %10s %13s %7s %8s  %s";
    private static final double MOST_US_OF_PRACTICE = 1e6;
    private static final String UP = "\033[%dA";
    private static final String CLEAR = "\033[K";
    private static final String BOLD = "\033[1m";
    private static final String FAINT = "\033[2m";
    private static final String NORMAL = "\033[0m";

    private final Map<String, List<Second>> seconds = new LinkedHashMap<>();
    private final Map<String, Histogram> latencies = new LinkedHashMap<>();
    private final Map<String, Line> lines = new LinkedHashMap<>();
    private final PrintStream out;
    private final Form form;
    private final int measuredSeconds;
    private final LongSupplier elapsedSeconds;
    private int drawn;

    /** What is known of a client; a figure that is not known is empty. */
    private record Line(String state, String cpu, String bytes, String p50, String p99)
    {
        static Line of(final String state)
        {
            return new Line(state, "", "", "", "");
        }

        static Line of(
            final String state, final double cpuPercent, final long bytes, final double p50Us, final double p99Us)
        {
            return new Line(state, format("%.2f", cpuPercent), format("%,d", bytes), format("%,.0f", p50Us),
                format("%,.0f", p99Us));
        }

        static Line of(final String state, final Second second)
        {
            return of(state, second.threadCpuPercent(), second.allocatedBytes(), second.p50Us(), second.p99Us());
        }

        Line withoutBytes()
        {
            return new Line(state, cpu, "", p50, p99);
        }

        String cells(final String client)
        {
            return format(CELLS, client, cpu, bytes, p50, p99, state);
        }

        String sentence(final String client)
        {
            return client + ", " + state + (cpu.isEmpty() ? "" : ": CPU of the polling thread " + cpu + " %, " +
                (bytes.isEmpty() ? "" : bytes + " bytes allocated, ") + "p50 " + p50 + " µs, p99 " + p99 + " µs");
        }
    }

    /** @param clients by their names, in the order of their turns. */
    DemoScreen(final PrintStream out, final Form form, final List<String> clients, final int measuredSeconds,
        final LongSupplier elapsedSeconds)
    {
        this.out = out;
        this.form = form;
        this.measuredSeconds = measuredSeconds;
        this.elapsedSeconds = elapsedSeconds;
        clients.forEach((client) -> lines.put(client, Line.of("waits")));
    }

    /** A terminal that cannot move its cursor gets lines; without colours if NO_COLOR is set and not empty. */
    static Form form(final boolean isTerminal, final Map<String, String> environment)
    {
        return !isTerminal || environment.getOrDefault("TERM", "dumb").equals("dumb") ? Form.LINES :
            environment.getOrDefault("NO_COLOR", "").isEmpty() ? Form.COLOURED : Form.PLAIN;
    }

    /** @return for each client pairs of a measured second and this figure of it. */
    Map<String, List<double[]>> points(final ToDoubleFunction<Second> figure)
    {
        final Map<String, List<double[]>> points = new LinkedHashMap<>();
        seconds.forEach((client, all) -> points.put(client, all.stream()
            .map((second) -> new double[]{second.number(), figure.applyAsDouble(second)}).toList()));
        return points;
    }

    /** @return the latencies of each client in its turn. */
    Map<String, Histogram> latencies()
    {
        return latencies;
    }

    @Override
    public void onProgress(final String words)
    {
        if (form == Form.LINES)
        {
            out.println("demo: " + words);
        }
        else
        {
            draw("", words);
        }
    }

    @Override
    public void onBacklog(final String client, final Second second)
    {
        show(client, Line.of(format("has read %,d", second.records())));
    }

    /** Bytes of the warm-up are in no figure, and the end of the backlog may be in the first second. */
    @Override
    public void onPractice(final String client, final Second second)
    {
        show(client, second.p99Us() > MOST_US_OF_PRACTICE ? Line.of("practises") :
            Line.of("practises", second).withoutBytes());
    }

    @Override
    public void onMeasured(final String client, final Second second)
    {
        seconds.computeIfAbsent(client, (key) -> new ArrayList<>()).add(second);
        show(client, Line.of("second " + second.number() + " of " + measuredSeconds, second));
    }

    @Override
    public void onUsage(final String client, final Usage usage)
    {
        latencies.put(client, usage.latencyHistogram());
        show(client, Line.of("measured", usage.cpuPercent(usage.threadCpuNs), usage.allocatedBytes,
            usage.latencyUs(50), usage.latencyUs(99)));
    }

    private void show(final String client, final Line line)
    {
        lines.put(client, line);
        if (form == Form.LINES)
        {
            out.println("demo: " + line.sentence(client));
        }
        else
        {
            draw(client, "");
        }
    }

    /** Over what was drawn before. A waiting client is faint, the one whose turn it is bold. */
    private void draw(final String current, final String words)
    {
        final List<String> screen = new ArrayList<>();
        screen.add(format("after %d s%s", elapsedSeconds.getAsLong(), words.isEmpty() ? "" : ": " + words));
        screen.add(format(CELLS, "", "CPU of the", "bytes", "p50", "p99", ""));
        screen.add(format(CELLS, "client", "thread, %", "allocated", "µs", "µs", ""));
        lines.forEach((client, line) -> screen.add(styled(line.cells(client),
            client.equals(current) ? BOLD : line.state.equals("waits") ? FAINT : "")));
        if (drawn > 0)
        {
            out.print(format(UP, drawn));
        }
        screen.forEach((line) -> out.println(line.stripTrailing() + CLEAR));
        drawn = screen.size();
        out.flush();
    }

    private String styled(final String line, final String style)
    {
        return form == Form.PLAIN || style.isEmpty() ? line : style + line.stripTrailing() + NORMAL;
    }

    private static String format(final String form, final Object... values)
    {
        return String.format(Locale.ROOT, form, values);
    }
}
