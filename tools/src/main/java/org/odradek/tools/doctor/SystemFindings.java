// SPDX-License-Identifier: Apache-2.0
package org.odradek.tools.doctor;

import org.odradek.affinity.CoreSet;

import java.util.List;

/**
 * Checks of memory, clock, and the limits of the process and its sockets.
 *
 * @see <a href="https://docs.kernel.org/admin-guide/sysctl/net.html">/proc/sys/net</a>
 * @see <a href="https://docs.kernel.org/admin-guide/mm/transhuge.html">Transparent Hugepage Support</a>
 */
final class SystemFindings
{
    private static final String NODES = "sys/devices/system/node/";
    private static final String CLOCK = "sys/devices/system/clocksource/clocksource0/";
    private static final long MANY_FILES = 4096;
    private static final long LARGE_SOCKET_BUFFER = 4L << 20;

    private final SystemFiles files;
    private final String process;

    SystemFindings(final SystemFiles files, final String process)
    {
        this.files = files;
        this.process = process;
    }

    List<Finding> all()
    {
        return List.of(numa(), clockSource(), hugePages(), openFiles(), lockedMemory(),
            socketLimit("rmem", "receive", "a response waits in the kernel while records are handled; a broker " +
                "sends only what fits"),
            tuning("tcp_rmem", "receive"),
            socketLimit("wmem", "send", "requests are small, so this rarely matters"),
            tuning("tcp_wmem", "send"));
    }

    private Finding numa()
    {
        final String why = "access to the memory of another node takes half as long again; a network card has a " +
            "node, too";
        final String nodes = files.text(NODES + "online");
        if (nodes.isEmpty())
        {
            return Finding.unknown("NUMA nodes", why);
        }
        final CoreSet all = CoreSet.parse(nodes);
        final StringBuilder found = new StringBuilder();
        for (int node = all.nextCore(0); node >= 0; node = all.nextCore(node + 1))
        {
            found.append(found.length() == 0 ? "" : "; ").append("node ").append(node).append(": cores ")
                .append(files.text(NODES + "node" + node + "/cpulist"));
        }
        return Finding.goodIf(all.count() == 1, "NUMA nodes", found.toString(),
            "keep the JVM on the node of its network card (numactl --cpunodebind=N --membind=N)", why);
    }

    private Finding clockSource()
    {
        final String why = "a poll reads the clock once: 20 ns with the TSC, a system call of up to 1 us otherwise";
        final String source = files.text(CLOCK + "current_clocksource");
        // kvm-clock and the clock of Hyper-V are read from shared memory, like the TSC; ARM has one counter for all.
        final boolean isFast = source.equals("tsc") || source.startsWith("kvm") || source.startsWith("hyperv") ||
            source.startsWith("arch_sys_counter");
        return Finding.of(source, isFast, Finding.good("clock source", source, why), "tsc, if " + CLOCK +
            "available_clocksource has it (" + files.text(CLOCK + "available_clocksource") + ")");
    }

    private Finding hugePages()
    {
        final String why = "the kernel stops a process to build huge pages; the JVM can request them instead";
        final String modes = files.text("sys/kernel/mm/transparent_hugepage/enabled");
        return Finding.of(modes, !modes.contains("[always]"),
            Finding.good("transparent huge pages", modes.replaceAll(".*\\[(.*)].*", "$1"), why),
            "madvise, and -XX:+UseTransparentHugePages -XX:+AlwaysPreTouch for the JVM");
    }

    private Finding openFiles()
    {
        final String why = "each broker takes one or two connections, each poller a few more files";
        final String limit = limit("Max open files");
        return Finding.of(limit, isAtLeast(limit, MANY_FILES), Finding.good("open files (ulimit -n)", limit, why),
            MANY_FILES + " or more");
    }

    private Finding lockedMemory()
    {
        final String why = "only locked memory is never paged out, which matters on a machine that swaps";
        final String limit = limit("Max locked memory");
        final boolean isSwapping = files.lines("proc/swaps").size() > 1;
        return Finding.of(limit, !isSwapping, Finding.good("locked memory (ulimit -l)",
            limit + (isSwapping ? ", swap is on" : ", no swap"), why), "no swap (swapoff -a)");
    }

    /** The soft limit. */
    private String limit(final String name)
    {
        return files.after(process + "limits", name).split("\\s+")[0];
    }

    private Finding socketLimit(final String name, final String way, final String why)
    {
        final String title = "socket " + way + " limit";
        final String limit = files.text("proc/sys/net/core/" + name + "_max");
        return Finding.of(limit, name.equals("wmem") || isAtLeast(limit, LARGE_SOCKET_BUFFER),
            Finding.good(title, limit + " bytes", why),
            "sysctl net.core." + name + "_max=" + LARGE_SOCKET_BUFFER + ", if you set a size");
    }

    private Finding tuning(final String name, final String way)
    {
        final String title = "TCP " + way + " buffers";
        final String why = "the kernel grows the buffer of a connection up to the third number, unless you set a size";
        final String[] sizes = files.text("proc/sys/net/ipv4/" + name).split("\\s+");
        return sizes.length < 3 ? Finding.unknown(title, why) :
            Finding.goodIf(name.equals("tcp_wmem") || isAtLeast(sizes[2], LARGE_SOCKET_BUFFER), title,
                String.join(" ", sizes) + " bytes",
                "sysctl net.ipv4." + name + "='" + sizes[0] + " " + sizes[1] + " " + LARGE_SOCKET_BUFFER + "'", why);
    }

    private static boolean isAtLeast(final String number, final long least)
    {
        return "unlimited".equals(number) || number.matches("\\d{1,18}") && Long.parseLong(number) >= least;
    }
}
