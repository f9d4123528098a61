// SPDX-License-Identifier: Apache-2.0
package org.odradek.tools.doctor;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * The test replaces /proc and /sys by folders of its own.
 */
class DoctorCommandTest
{
    @TempDir
    private Path root;
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @BeforeEach
    void makeProcess() throws IOException
    {
        file("proc/7/status", "Name:\tjava\nCpus_allowed_list:\t2-5\n");
    }

    private void file(final String path, final String text) throws IOException
    {
        final Path file = root.resolve(path);
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
    }

    private int run(final String... args)
    {
        return new CommandLine(new DoctorCommand()).setOut(new PrintWriter(out, true))
            .setErr(new PrintWriter(err, true)).execute(args);
    }

    private void examine()
    {
        assertEquals(0, run("--root", root.toString(), "--pid", "7"), err.toString());
    }

    private void assertFinding(final String level, final String name, final String found)
    {
        assertTrue(Pattern.compile("^" + level + " +" + Pattern.quote(name) + " +" + Pattern.quote(found) + "$",
            Pattern.MULTILINE).matcher(out.toString()).find(), level + " " + name + " " + found + " in\n" + out);
    }

    /** The kernel gives a number only to a read that has room for all of it. */
    @Test
    @EnabledOnOs(OS.LINUX)
    void shouldReadAllDigitsOfASysctl() throws IOException, InterruptedException
    {
        final Process cat = new ProcessBuilder("cat", "/proc/sys/kernel/pid_max").start();
        final String expected = new String(cat.getInputStream().readAllBytes(), StandardCharsets.US_ASCII).strip();
        assertEquals(0, cat.waitFor());

        assertEquals(expected, new SystemFiles(Path.of("/")).text("proc/sys/kernel/pid_max"));
    }

    @Test
    void shouldApproveAQuietMachineWithCgroupsOfVersionTwo() throws IOException
    {
        file("sys/devices/system/cpu/online", "0-7\n");
        file("sys/devices/system/cpu/isolated", "2-5\n");
        file("sys/devices/system/cpu/nohz_full", "2-5\n");
        file("sys/devices/system/cpu/smt/active", "0\n");
        file("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "performance\n");
        file("proc/7/cgroup", "0::/kube/pod1\n");
        file("sys/fs/cgroup/kube/pod1/cpuset.cpus.effective", "2-5\n");
        file("sys/fs/cgroup/kube/pod1/cpu.max", "max 100000\n");
        file("sys/devices/system/node/online", "0\n");
        file("sys/devices/system/node/node0/cpulist", "0-7\n");
        file("sys/devices/system/clocksource/clocksource0/current_clocksource", "tsc\n");
        file("sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n");
        file("proc/7/limits", "Limit                     Soft Limit           Hard Limit           Units     \n" +
            "Max open files            65536                1048576              files     \n" +
            "Max locked memory         unlimited            unlimited            bytes     \n");
        file("proc/swaps", "Filename\tType\tSize\tUsed\tPriority\n");
        file("proc/sys/net/core/rmem_max", "16777216\n");
        file("proc/sys/net/core/wmem_max", "212992\n");
        file("proc/sys/net/ipv4/tcp_rmem", "4096\t131072\t6291456\n");
        file("proc/sys/net/ipv4/tcp_wmem", "4096\t16384\t4194304\n");
        file("proc/7/cmdline", String.join("\0", "java", "--add-exports", "java.base/jdk.internal.misc=ALL-UNNAMED",
            "-Xms64m", "-Xmx64m", "-XX:MaxDirectMemorySize=1g", "-XX:+AlwaysPreTouch", "Main") + "\0");
        file("proc/7/environ", "A=b\0JAVA_TOOL_OPTIONS=-Da=b --enable-native-access=ALL-UNNAMED\0");

        examine();

        assertEquals(22, out.toString().lines().filter((line) -> line.startsWith("good")).count(), out.toString());
        assertEquals(0, out.toString().lines().filter((line) -> line.contains("better:")).count(), out.toString());
        assertFinding("good", "cgroup cpuset", "2-5");
        assertFinding("good", "cores allowed", "2-5");
        assertFinding("good", "open files (ulimit -n)", "65536");
        assertFinding("good", "TCP receive buffers", "4096 131072 6291456 bytes");
        assertFinding("good", "heap", "-Xmx64m -Xms64m");
    }

    @Test
    void shouldShowNoControlCharactersOfAnotherProcess() throws IOException
    {
        file("proc/7/cmdline", "java\0-Xmx1g\u001b[2J\u009b\0Main\0");

        examine();

        assertFinding("fair", "heap", "-Xmx1g?[2J?");
    }

    @Test
    void shouldApplyFlagsInTheOrderOfTheJvm() throws IOException
    {
        file("proc/7/cmdline", "java\0-Xms2g\0-Xmx2g\0Main\0");
        file("proc/7/environ", "_JAVA_OPTIONS=-Xmx4g\0" +
            "JDK_JAVA_OPTIONS=-Xms1g -XX:MaxDirectMemorySize=2g\0JAVA_TOOL_OPTIONS=-XX:MaxDirectMemorySize=1g\0");

        examine();

        assertFinding("fair", "heap", "-Xmx4g -Xms2g");
        assertFinding("good", "direct memory", "2g");
    }

    @ParameterizedTest
    @CsvSource({
        "good, -XX:MaxHeapSize=1g -Xms1G",
        "good, -XX:MaxRAMPercentage=50 -XX:InitialRAMPercentage=50",
        "good, -Xmx1g -Xms1g -XX:MaxRAMPercentage=50",
        "fair, -XX:MaxRAMPercentage=50 -XX:InitialRAMPercentage=25",
        "fair, -Xmx1g -XX:InitialRAMPercentage=50",
    })
    void shouldUnderstandEachFormOfTheFlagsOfTheHeap(final String grade, final String given) throws IOException
    {
        file("proc/7/cmdline", "java\0" + given.replace(' ', '\0') + "\0Main\0");

        examine();

        assertFinding(grade, "heap", given.replace(" -XX:MaxRAMPercentage=50", ""));
    }

    @ParameterizedTest
    @ValueSource(strings = {"--add-exports=java.base/jdk.internal.misc=ALL-UNNAMED",
        "--add-exports java.base/jdk.internal.misc=ALL-UNNAMED", "--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED",
        "--add-opens java.base/jdk.internal.misc=ALL-UNNAMED", "--add-exports java.base/jdk.internal.misc=org.agrona",
        "--add-opens=java.base/jdk.internal.misc=other,ALL-UNNAMED", "@/etc/jvm.flags", "@jvm.flags"})
    void shouldAcceptEachFormOfTheFlagThatAgronaNeeds(final String flag) throws IOException
    {
        file("proc/7/cmdline", "java\0" + flag.replace(' ', '\0') + "\0Main\0");
        file("proc/7/environ", "A=b\0");
        final String flags = "# for Agrona\n-Xmx1g\n--add-exports\n\"java.base/jdk.internal.misc=ALL-UNNAMED\"\n";
        file("proc/7/root/etc/jvm.flags", flags);
        file("proc/7/cwd/jvm.flags", flags);

        examine();

        assertFinding("good", "add-exports", "java.base/jdk.internal.misc");
    }

    @ParameterizedTest
    @ValueSource(strings = {"--add-exports=java.base/jdk.internal.misc=other",
        "java.base/jdk.internal.misc=ALL-UNNAMED", "--add-exports=java.base/jdk.internal.ref=ALL-UNNAMED", "@missing"})
    void shouldNotTakeAnotherFlagForTheOneThatAgronaNeeds(final String flag) throws IOException
    {
        file("proc/7/cmdline", "java\0" + flag + "\0Main\0");
        file("proc/7/environ", "A=b\0");

        examine();

        assertFinding("poor", "add-exports", "not given");
    }

    @Test
    void shouldReadTheManifestOfTheJarThatRuns() throws IOException
    {
        file("proc/7/cmdline", "java\0-Xmx1g\0-jar\0/app/ingest.jar\0orders\0");
        file("proc/7/environ", "A=b\0");
        jar("proc/7/root/app/ingest.jar", "Add-Exports: java.base/sun.nio.ch java.base/jdk.internal.misc\n" +
            "Enable-Native-Access: ALL-UNNAMED\n");

        examine();

        assertFinding("good", "add-exports", "java.base/jdk.internal.misc, by the manifest");
        assertFinding("good", "native access", "enabled, by the manifest");
    }

    @ParameterizedTest
    @ValueSource(strings = {"Add-Exports: java.base/sun.nio.ch\n", "", "no manifest", "no zip"})
    void shouldNotBelieveAJarWithoutTheAttribute(final String content) throws IOException
    {
        file("proc/7/cmdline", "java\0-jar\0ingest.jar\0");
        file("proc/7/environ", "A=b\0");
        if (content.equals("no zip"))
        {
            file("proc/7/cwd/ingest.jar", content);
        }
        else
        {
            jar("proc/7/cwd/ingest.jar", content);
        }

        examine();

        assertFinding("poor", "add-exports", "not given");
    }

    private void jar(final String path, final String attributes) throws IOException
    {
        file(path, "");
        try (ZipOutputStream jar = new ZipOutputStream(Files.newOutputStream(root.resolve(path))))
        {
            jar.putNextEntry(new ZipEntry(attributes.equals("no manifest") ? "other" : "META-INF/MANIFEST.MF"));
            jar.write(("Manifest-Version: 1.0\n" + attributes).getBytes(StandardCharsets.UTF_8));
        }
    }

    @Test
    void shouldAdviseANoisyMachineWithCgroupsOfVersionOne() throws IOException
    {
        file("sys/devices/system/cpu/online", "0-3\n");
        file("sys/devices/system/cpu/isolated", "\n");
        file("sys/devices/system/cpu/nohz_full", "(null)\n");
        file("sys/devices/system/cpu/smt/active", "1\n");
        file("sys/devices/system/cpu/cpu0/topology/thread_siblings_list", "0,2\n");
        file("proc/7/cgroup", "5:cpuset:/docker/abc\n4:cpu,cpuacct:/docker/abc\n1:name=systemd:/\n");
        // Inside a container, the group of the process is the root of the mount.
        file("sys/fs/cgroup/cpuset/cpuset.cpus", "0-3\n");
        file("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "150000\n");
        file("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n");
        file("sys/devices/system/node/online", "0-1\n");
        file("sys/devices/system/node/node0/cpulist", "0,2\n");
        file("sys/devices/system/node/node1/cpulist", "1,3\n");
        file("sys/devices/system/clocksource/clocksource0/current_clocksource", "hpet\n");
        file("sys/devices/system/clocksource/clocksource0/available_clocksource", "hpet acpi_pm\n");
        file("sys/kernel/mm/transparent_hugepage/enabled", "[always] madvise never\n");
        file("proc/7/limits", "Max open files            1024                 4096                 files     \n" +
            "Max locked memory         65536                65536                bytes     \n");
        file("proc/swaps", "Filename Type Size Used Priority\n/swapfile file 1 0 -2\n");
        file("proc/sys/net/core/rmem_max", "212992\n");
        file("proc/sys/net/ipv4/tcp_rmem", "4096 87380 1048576\n");
        file("proc/7/cmdline", "java\0-Xmx1g\0Main\0");
        file("proc/7/environ", "A=b\0");

        examine();

        assertFinding("fair", "isolated cores", "none");
        assertFinding("fair", "cores without tick", "none");
        assertFinding("fair", "cgroup cpuset", "0-3");
        assertFinding("poor", "cgroup CPU quota", "150000 of 100000 us");
        assertFinding("fair", "hardware threads", "core 0 shares with 0,2");
        assertFinding("unknown", "frequency governor", "not reported by this system");
        assertFinding("fair", "NUMA nodes", "node 0: cores 0,2; node 1: cores 1,3");
        assertFinding("fair", "clock source", "hpet");
        assertFinding("fair", "transparent huge pages", "always");
        assertFinding("fair", "open files (ulimit -n)", "1024");
        assertFinding("fair", "locked memory (ulimit -l)", "65536, swap is on");
        assertFinding("fair", "socket receive limit", "212992 bytes");
        assertFinding("fair", "TCP receive buffers", "4096 87380 1048576 bytes");
        assertFinding("poor", "add-exports", "not given");
        assertFinding("fair", "heap", "-Xmx1g");
        assertTrue(out.toString().contains("sysctl net.ipv4.tcp_rmem='4096 87380 4194304'"), out.toString());
        assertAdvice();
    }

    /** The limit of each group that contains the process applies. */
    @Test
    void shouldFindTheQuotaOfAGroupFurtherOut() throws IOException
    {
        file("proc/7/cgroup", "0::/kube/pod1/container\n");
        file("sys/fs/cgroup/kube/pod1/container/cpu.max", "max 100000\n");
        file("sys/fs/cgroup/kube/pod1/cpu.max", "150000 100000\n");

        examine();

        assertFinding("poor", "cgroup CPU quota", "150000 of 100000 us");
    }

    /** Each finding that is not good must state a better setting and the reason. */
    private void assertAdvice()
    {
        final List<String> lines = out.toString().lines().toList();
        for (int i = 0; i < lines.size(); i++)
        {
            if (lines.get(i).startsWith("fair") || lines.get(i).startsWith("poor"))
            {
                assertTrue(lines.get(i + 1).startsWith("        better: "), lines.get(i));
                assertTrue(lines.get(i + 2).startsWith("        why: "), lines.get(i));
            }
        }
    }

    @Test
    void shouldReportUnknownValues()
    {
        examine();

        assertFinding("unknown", "online cores", "not reported by this system");
        assertFinding("unknown", "cgroup cpuset", "not reported by this system");
        assertFinding("unknown", "NUMA nodes", "not reported by this system");
        assertFinding("unknown", "clock source", "not reported by this system");
        assertFinding("unknown", "TCP send buffers", "not reported by this system");
        // The flag may be in the environment, which cannot be read.
        assertFinding("unknown", "add-exports", "not reported by this system");
        assertAdvice();
    }

    @Test
    void shouldRefuseAProcessThatDoesNotExist()
    {
        assertEquals(2, run("--root", root.toString(), "--pid", "8"));
        assertTrue(err.toString().startsWith("--pid 8 is not a process that can be read"), err.toString());
        assertEquals(2, run("--root", root.toString(), "--pid", "../7"));
    }

    @Test
    void shouldCheckThisMachine() throws IOException
    {
        final int exitCode = run();

        if (Files.isReadable(Path.of("/proc/self/status")))
        {
            assertEquals(0, exitCode, err.toString());
            assertTrue(out.toString().contains("== tried here\n"), out.toString());
            assertTrue(Pattern.compile("^(good|fair) +TLS +TLS by (BoringSSL|the JDK because )", Pattern.MULTILINE)
                .matcher(out.toString()).find(), out.toString());
            assertTrue(Pattern.compile("^(good|poor) +pinning ", Pattern.MULTILINE).matcher(out.toString()).find(),
                out.toString());
            assertAdvice();
        }
        else
        {
            assertEquals(2, exitCode);
        }
    }
}
