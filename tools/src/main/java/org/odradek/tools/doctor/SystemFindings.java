// SPDX-License-Identifier: Apache-2.0
package org.odradek.tools.doctor;

import org.odradek.consumer.CoreSet;

import java.util.List;

/**
 * Memory, clock, limits of the process and of its sockets.
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
            socketLimit("rmem", "receive", "an answer waits in the kernel while records are handled: what does not " +
                "fit is not sent"),
            tuning("tcp_rmem", "receive"),
            socketLimit("wmem", "send", "requests are small, so this seldom matters"),
            tuning("tcp_wmem", "send"));
    }

    private Finding numa()
    {
        final String why = "memory of another node costs half as much again to reach, network cards have a node, too";
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
            "keep the JVM on one node (numactl --cpunodebind=N --membind=N), the one of its network card", why);
    }

    private Finding clockSource()
    {
        final String why = "a poll reads the clock once: 20 ns from the TSC, a system call of up to 1 us elsewhere";
        final String source = files.text(CLOCK + "current_clocksource");
        if (source.isEmpty())
        {
            return Finding.unknown("clock source", why);
        }
        // kvm-clock and hyperv's are read from shared memory, as the TSC is; arm has one counter for all.
        final boolean isFast = source.equals("tsc") || source.startsWith("kvm") || source.startsWith("hyperv") ||
            source.startsWith("arch_sys_counter");
        return Finding.goodIf(isFast, "clock source", source, "tsc, if " + CLOCK + "available_clocksource has it (" +
            files.text(CLOCK + "available_clocksource") + ")", why);
    }

    private Finding hugePages()
    {
        final String why = "the kernel stops a process to make huge pages behind its back; the JVM can ask for them";
        final String modes = files.text("sys/kernel/mm/transparent_hugepage/enabled");
        if (modes.isEmpty())
        {
            return Finding.unknown("transparent huge pages", why);
        }
        return Finding.goodIf(!modes.contains("[always]"), "transparent huge pages",
            modes.replaceAll(".*\\[(.*)].*", "$1"),
            "madvise, and -XX:+UseTransparentHugePages -XX:+AlwaysPreTouch for the JVM", why);
    }

    private Finding openFiles()
    {
        final String why = "each broker takes a connection or two, each poller a few files more";
        final String limit = limit("Max open files");
        if (limit.isEmpty())
        {
            return Finding.unknown("open files (ulimit -n)", why);
        }
        return Finding.goodIf(isAtLeast(limit, MANY_FILES), "open files (ulimit -n)", limit, MANY_FILES + " or more",
            why);
    }

    private Finding lockedMemory()
    {
        final String why = "only locked memory is never paged out; matters where the machine swaps";
        final String limit = limit("Max locked memory");
        final boolean isSwapping = files.lines("proc/swaps").size() > 1;
        if (limit.isEmpty())
        {
            return Finding.unknown("locked memory (ulimit -l)", why);
        }
        return Finding.goodIf(!isSwapping, "locked memory (ulimit -l)", limit + (isSwapping ? ", swap is on" :
            ", no swap"), "no swap (swapoff -a)", why);
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
        return limit.isEmpty() ? Finding.unknown(title, why) :
            Finding.goodIf(name.equals("wmem") || isAtLeast(limit, LARGE_SOCKET_BUFFER), title, limit + " bytes",
                "sysctl net.core." + name + "_max=" + LARGE_SOCKET_BUFFER + ", if a size is set by hand",
                why);
    }

    private Finding tuning(final String name, final String way)
    {
        final String title = "TCP " + way + " buffers";
        final String why = "the kernel grows a connection's buffer up to the last of the three, unless a size is set";
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
