// SPDX-License-Identifier: Apache-2.0
package org.odradek.tools.doctor;

import org.odradek.consumer.TopicConsumer;
import org.odradek.consumer.ThreadPinning;
import org.odradek.consumer.handler.Poller;
import org.odradek.consumer.handler.TransportType;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;

/**
 * {@code odradek doctor}: looks and changes nothing. Exit code 0 whatever it finds.
 */
@Command(name = "doctor", sortOptions = false,
    description = "Say what this machine, container and JVM lack for a quiet core: what is, what would be better, why.")
public final class DoctorCommand implements Callable<Integer>
{
    private static final Path ROOT = Path.of("/");

    @Spec
    private CommandSpec spec;

    @Option(names = "--pid", paramLabel = "PID",
        description = "Look at that process, its container and its flags (default: at this command's own JVM).")
    private String pid = "self";

    @Option(names = "--root", paramLabel = "DIR", hidden = true)
    private Path root = ROOT;

    @Option(names = {"-h", "--help"}, usageHelp = true, description = "Show this.")
    private boolean help;

    @Override
    public Integer call()
    {
        final String process = "proc/" + pid + "/";
        if (!pid.matches("self|\\d+") || !Files.isReadable(root.resolve(process + "status")))
        {
            throw new ParameterException(spec.commandLine(), "--pid " + pid + " is no process that can be looked at " +
                "here (" + root.resolve(process) + "): this needs Linux, and the right to see the process.");
        }
        final SystemFiles files = new SystemFiles(root);
        final PrintWriter out = spec.commandLine().getOut();
        print(out, "cores", new CoreFindings(files, process).all());
        print(out, "system", new SystemFindings(files, process).all());
        print(out, "JVM", new JvmFindings(files, process).all());
        if ("self".equals(pid) && ROOT.equals(root))
        {
            print(out, "tried here", List.of(pinning(), transport()));
        }
        out.flush();
        return 0;
    }

    private static void print(final PrintWriter out, final String title, final List<Finding> findings)
    {
        out.println("== " + title);
        findings.forEach(out::print);
    }

    /** Pins this thread to each core in turn, and lets it go again. */
    private static Finding pinning()
    {
        final String why = "a polling thread that the scheduler moves loses its caches";
        try
        {
            final List<String> held = new ArrayList<>();
            for (int core = ThreadPinning.allowedCores().nextCore(0); core >= 0; )
            {
                try (ThreadPinning pinning = ThreadPinning.pin(core))
                {
                    held.add(Integer.toString(pinning.core()));
                    core = pinning.before().nextCore(core + 1);
                }
            }
            return Finding.good("pinning", "holds on core " + String.join(", ", held), why);
        }
        catch (final IllegalStateException ex)
        {
            return Finding.poor("pinning", "does not hold", ex.getMessage(), why);
        }
    }

    private static Finding transport()
    {
        final String why = "epoll waits nanoseconds exactly; NIO waits whole milliseconds and parks for the rest";
        try (Poller poller = TopicConsumer.openPoller(TransportType.AUTO))
        {
            return Finding.goodIf("epoll".equals(poller.description()), "transport", poller.description(),
                "netty-transport-native-epoll on the class path", why);
        }
    }
}
