// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.link;

import org.odradek.benchmarks.rig.Kernel;
import org.odradek.benchmarks.rig.RigMain;
import org.odradek.benchmarks.rig.Settings;
import org.odradek.testkit.internal.JavaProcess;
import org.odradek.testkit.internal.JvmExit;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

/**
 * The process that joins two network namespaces: it makes one, a device here and a device there, and passes on late
 * what the kernel sends through either. At its end, however it ends, the devices are gone; unless it is killed it also
 * removes the namespace.
 */
public final class TunTask implements RigMain.Task
{
    static final String NAMESPACE = "namespace";
    static final String NEAR = "near";
    static final String FAR = "far";
    static final String MTU = "mtu";
    static final String SET = "set";
    private static final long MEMORY = 64 << 20;
    private static final int SHORTEST_QUEUE = 10_000;
    private static final int COMMAND_SECONDS = 10;
    private static final String NET_MASK = "/30";

    private final String namespace;
    private final String far;
    private final TunDevice nearDevice;
    private final DelayRing toFar;
    private final DelayRing toNear;
    private String congestion = "";

    /** @param settings the name of the namespace, the addresses near and far, and the mtu. */
    public TunTask(final Settings settings)
    {
        namespace = settings.text(NAMESPACE);
        far = settings.text(FAR);
        final int mtu = settings.number(MTU);
        nearDevice = new TunDevice(namespace + "n");
        final TunDevice farDevice = new TunDevice(namespace + "f");
        ip("netns add " + namespace);
        JvmExit.add(() -> ip("netns delete " + namespace));
        ip("link set " + farDevice.name() + " netns " + namespace);
        up("", nearDevice, settings.text(NEAR), mtu);
        up("-n " + namespace + " ", farDevice, far, mtu);
        ip("-n " + namespace + " link set lo up");
        toFar = start(nearDevice, farDevice, mtu);
        toNear = start(farDevice, nearDevice, mtu);
    }

    private static void up(final String where, final TunDevice device, final String address, final int mtu)
    {
        ip(where + "addr add " + address + NET_MASK + " dev " + device.name());
        ip(where + "link set " + device.name() + " mtu " + mtu + " txqueuelen " + SHORTEST_QUEUE + " up");
    }

    static void ip(final String arguments)
    {
        final List<String> command = new ArrayList<>(List.of("ip"));
        command.addAll(List.of(arguments.split(" ")));
        try (JavaProcess ip = JavaProcess.ofProgram(command).start())
        {
            if (ip.exitCode(COMMAND_SECONDS, TimeUnit.SECONDS) != 0)
            {
                throw new IllegalStateException("ip " + arguments + ": " + ip.outputTail());
            }
        }
    }

    private static DelayRing start(final TunDevice from, final TunDevice to, final int mtu)
    {
        final DelayRing ring = new DelayRing(mtu, (int) (MEMORY / mtu), DelayRing.NO_WINDOW);
        JvmExit.daemon("from-" + from.name(), () -> receive(from, ring));
        JvmExit.daemon("to-" + to.name(), () -> send(ring, to));
        return ring;
    }

    /** What is lost, or finds the queue full, is overwritten by the next packet. */
    private static void receive(final TunDevice from, final DelayRing ring)
    {
        final SplittableRandom random = new SplittableRandom(1);
        final long address = ring.address();
        while (true)
        {
            final ByteBuffer slot = ring.claim();
            final int length = from.read(address + slot.position(), slot.remaining());
            final long nowNs = System.nanoTime();
            if (ring.room(nowNs) > 0 && !ring.isLost(random.nextDouble()))
            {
                ring.put(length, nowNs);
            }
        }
    }

    private static void send(final DelayRing ring, final TunDevice to)
    {
        Kernel.leastTimerSlack();
        final long address = ring.address();
        while (true)
        {
            final ByteBuffer packet = ring.await();
            to.write(address + packet.position(), packet.remaining());
            ring.remove();
        }
    }

    @Override
    public Object obey(final String word, final String argument)
    {
        if (!word.equals(SET))
        {
            throw new IllegalArgumentException("A link cannot do " + word + ".");
        }
        final LinkConditions conditions = LinkConditions.parse(argument.split(" "));
        if (!conditions.congestion().equals(congestion))
        {
            congestion = conditions.congestion();
            // Connections take it from the route at their start, also those that are accepted.
            ip("route replace " + far + " dev " + nearDevice.name() +
                (congestion.isEmpty() ? "" : " congctl " + congestion));
        }
        toFar.set(conditions);
        toNear.set(conditions);
        return RigMain.state("set");
    }
}
