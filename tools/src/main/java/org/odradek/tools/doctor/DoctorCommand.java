// SPDX-License-Identifier: Apache-2.0
package org.odradek.tools.doctor;

import org.odradek.affinity.ThreadPinning;
import org.odradek.client.Poller;
import org.odradek.client.TransportType;
import org.odradek.client.security.TlsSettings;
import org.odradek.client.tls.TlsEngines;
import org.odradek.consumer.ConsumerContext;
import org.odradek.tools.CommandOptions;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;

/**
 * The command {@code odradek doctor}. It only reads, and its exit code is 0 whatever it finds.
 */
@Command(name = "doctor", sortOptions = false,
    description = "Check this machine, container and JVM for what disturbs a polling thread, and say what would " +
        "be better and why.")
public final class DoctorCommand implements Callable<Integer>
{
    private static final Path ROOT = Path.of("/");

    @Mixin
    private CommandOptions options;

    @Option(names = "--pid", paramLabel = "PID",
        description = "Check this process, its container and its flags (default: the JVM of this command).")
    private String pid = "self";

    @Option(names = "--root", paramLabel = "DIR", hidden = true)
    private Path root = ROOT;

    @Override
    public Integer call()
    {
        final String process = "proc/" + pid + "/";
        options.check(pid.matches("self|\\d+") && Files.isReadable(root.resolve(process + "status")),
            "--pid " + pid + " is not a process that can be read (" + root.resolve(process) +
            "): this needs Linux, and permission to read the process.");
        final SystemFiles files = new SystemFiles(root);
        final PrintWriter out = options.out();
        print(out, "cores", new CoreFindings(files, process).all());
        print(out, "system", new SystemFindings(files, process).all());
        print(out, "JVM", new JvmFindings(files, process).all());
        if ("self".equals(pid) && ROOT.equals(root))
        {
            print(out, "tried here", List.of(pinning(), transport(), tls()));
        }
        out.flush();
        return 0;
    }

    private static void print(final PrintWriter out, final String title, final List<Finding> findings)
    {
        out.println("== " + title);
        findings.forEach(out::print);
    }

    /** Pins this thread to each core in turn, and unpins it again. */
    private static Finding pinning()
    {
        final String why = "a polling thread loses its caches when the scheduler moves it";
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
        final String why = "epoll waits exact nanoseconds; NIO waits whole milliseconds, or parks in between";
        try (Poller poller = ConsumerContext.openPoller(TransportType.AUTO))
        {
            return Finding.goodIf("epoll".equals(poller.description()), "transport", poller.description(),
                "netty-transport-native-epoll on the class path", why);
        }
    }

    private static Finding tls()
    {
        final String found = TlsEngines.describe(TlsSettings.trustOfJvm());
        return Finding.goodIf(found.contains("BoringSSL") && !found.contains("because"), "TLS", found,
            "netty-tcnative-boringssl-static on the class path, unless the JDK's TLS is wanted",
            "BoringSSL allocates nothing for a TLS record, the JDK's TLS 1.4 to 3.5 KB");
    }
}
