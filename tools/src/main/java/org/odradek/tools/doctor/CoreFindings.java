// SPDX-License-Identifier: Apache-2.0
package org.odradek.tools.doctor;

import org.odradek.affinity.CoreSet;

import java.util.ArrayList;
import java.util.List;

/**
 * Checks of the cores: which exist, which are isolated, and which of them a cgroup allows, and for how long.
 *
 * @see <a href="https://docs.kernel.org/admin-guide/cgroup-v2.html">Control Group v2</a>
 * @see <a href="https://docs.kernel.org/admin-guide/cgroup-v1/cpusets.html">Cpusets of v1</a>
 */
final class CoreFindings
{
    private static final String CPU = "sys/devices/system/cpu/";
    private static final String CGROUP = "sys/fs/cgroup/";

    private final SystemFiles files;
    private final String process;

    /**
     * @param process folder of the process below the root, such as {@code proc/self/}.
     */
    CoreFindings(final SystemFiles files, final String process)
    {
        this.files = files;
        this.process = process;
    }

    List<Finding> all()
    {
        return List.of(online(), isolated(), tickless(), allowed(), cpuset(), quota(), siblings(), governor());
    }

    private Finding online()
    {
        final String why = "a polling thread that never sleeps needs a core of its own, and the other threads another";
        final String list = files.text(CPU + "online");
        if (list.isEmpty())
        {
            return Finding.unknown("online cores", why);
        }
        final int count = CoreSet.parse(list).count();
        return Finding.goodIf(count > 1, "online cores", list, "two or more", why);
    }

    private Finding isolated()
    {
        final String list = files.text(CPU + "isolated");
        return Finding.goodIf(!list.isEmpty(), "isolated cores", list.isEmpty() ? "none" : list,
            "boot with isolcpus=managed_irq,domain,LIST, or use an isolated cpuset partition, and pin to one of " +
                "its cores",
            "the scheduler puts no other thread on an isolated core");
    }

    private Finding tickless()
    {
        final String list = files.text(CPU + "nohz_full");
        final boolean isAny = !list.isEmpty() && !list.contains("null");
        return Finding.goodIf(isAny, "cores without tick", isAny ? list : "none",
            "boot with nohz_full=LIST and rcu_nocbs=LIST for the isolated cores",
            "the timer tick interrupts a busy core 100 to 1000 times a second");
    }

    private Finding allowed()
    {
        final String why = "a thread can be pinned to these cores only";
        final String list = files.after(process + "status", "Cpus_allowed_list:");
        return Finding.of(list, true, Finding.good("cores allowed", list, why), "");
    }

    private Finding cpuset()
    {
        final String why = "other processes use the cores that the cpuset shares; a thread cannot be pinned " +
            "outside the cpuset";
        final List<String> paths = new ArrayList<>();
        for (final String group : groups("cpuset"))
        {
            paths.add(group + "cpuset.cpus.effective");
            paths.add(group + "cpuset.effective_cpus");
            paths.add(group + "cpuset.cpus");
        }
        final String list = files.firstText(paths);
        final String online = files.text(CPU + "online");
        return Finding.of(list, !list.equals(online), Finding.good("cgroup cpuset", list, why),
            "an exclusive cpuset (docker run --cpuset-cpus, Kubernetes' static CPU manager, systemd AllowedCPUs)");
    }

    private Finding quota()
    {
        final String why = "when a group has used up its quota, all its threads stop until the period ends";
        boolean isKnown = false;
        for (final String group : groups("cpu"))
        {
            final String v2 = files.text(group + "cpu.max");
            final String v1 = files.text(group + "cpu.cfs_quota_us");
            final boolean isFree = v2.isEmpty() ? v1.isEmpty() || v1.startsWith("-") : v2.startsWith("max");
            isKnown |= !v2.isEmpty() || !v1.isEmpty();
            if (!isFree)
            {
                final String found = v2.isEmpty() ?
                    v1 + " of " + files.text(group + "cpu.cfs_period_us") : v2.replace(" ", " of ");
                return Finding.poor("cgroup CPU quota",
                    found + " us", "no quota (Kubernetes: whole cores with the static CPU manager)", why);
            }
        }
        return isKnown ? Finding.good("cgroup CPU quota", "none", why) : Finding.unknown("cgroup CPU quota", why);
    }

    /**
     * The folders of the group of the process and of those that contain it, innermost first, in v2 and in v1: a limit
     * of each applies. A container may see its group as the root.
     */
    private List<String> groups(final String controller)
    {
        final List<String> groups = new ArrayList<>();
        for (final String line : files.lines(process + "cgroup"))
        {
            final String[] parts = line.split(":", 3);
            if (parts.length < 3)
            {
                continue;
            }
            if ("0".equals(parts[0]) && parts[1].isEmpty())
            {
                addWithRoot(groups, CGROUP, parts[2]);
            }
            else if (List.of(parts[1].split(",")).contains(controller))
            {
                addWithRoot(groups, CGROUP + controller + "/", parts[2]);
                addWithRoot(groups, CGROUP + parts[1] + "/", parts[2]);
            }
        }
        return groups;
    }

    private static void addWithRoot(final List<String> groups, final String mount, final String group)
    {
        String relative = group.startsWith("/") ? group.substring(1) : group;
        while (!relative.isEmpty() && !relative.startsWith(".."))
        {
            groups.add(mount + relative + "/");
            relative = relative.substring(0, Math.max(0, relative.lastIndexOf('/')));
        }
        groups.add(mount);
    }

    private Finding siblings()
    {
        final String why = "two hardware threads share the caches and units of a core: a busy sibling slows a " +
            "pinned thread";
        final String isActive = files.text(CPU + "smt/active");
        final boolean isAlone = "0".equals(isActive);
        return Finding.of(isActive, isAlone, Finding.good("hardware threads", isAlone ? "one per core" :
            "core 0 shares with " + files.text(CPU + "cpu0/topology/thread_siblings_list"), why),
            "leave the sibling of a pinned core idle, or boot with nosmt");
    }

    private Finding governor()
    {
        final String why = "a core that reduces its frequency between records needs up to milliseconds to raise " +
            "it again";
        final String governor = files.text(CPU + "cpu0/cpufreq/scaling_governor");
        return Finding.of(governor, "performance".equals(governor), Finding.good("frequency governor", governor, why),
            "performance (cpupower frequency-set -g performance)");
    }
}
