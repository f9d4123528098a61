// SPDX-License-Identifier: Apache-2.0
package org.odradek.testkit.internal;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class FreePortsTest
{
    /** More than a block has. */
    private static final int COUNT = 300;

    @Test
    void shouldGiveEachPortToOneProcess()
    {
        final Set<Integer> ports = new HashSet<>();
        final List<String> lines = Collections.synchronizedList(new ArrayList<>());
        try (JavaProcess child = JavaProcess.of(Child.class).startingQuickly().onStdout(lines::add).start())
        {
            addAll(ports);
            assertEquals(0, child.exitCode(30, TimeUnit.SECONDS), child::outputTail);
        }

        assertEquals(COUNT, ports.size());
        assertEquals(COUNT, lines.size());
        for (final String line : lines)
        {
            assertTrue(ports.add(Integer.parseInt(line)), () -> "port " + line + " was given twice");
        }
        lines.forEach((line) -> ports.remove(Integer.parseInt(line)));
        ports.forEach(FreePorts::release);
    }

    /** The loopback address that such a JVM prefers is another one than that of all listeners. */
    @Test
    void shouldNotGiveAPortThatIsInUse()
    {
        final List<String> lines = Collections.synchronizedList(new ArrayList<>());
        try (JavaProcess child = JavaProcess.of(UsingTheNextPort.class).startingQuickly()
            .flags("-Djava.net.preferIPv6Addresses=true").onStdout(lines::add).start())
        {
            assertEquals(0, child.exitCode(30, TimeUnit.SECONDS), child::outputTail);
        }

        assertEquals(List.of("left out"), lines);
    }

    /** It is an address for documentation. */
    @Test
    void shouldSayThatAHostIsNoAddressOfThisMachine()
    {
        final Exception failure = assertThrows(UncheckedIOException.class, () -> FreePorts.next("192.0.2.1"));

        assertTrue(failure.getMessage().startsWith("No port of 192.0.2.1 can be used: "), failure::getMessage);
    }

    private static void addAll(final Set<Integer> ports)
    {
        for (int i = 0; i < COUNT; i++)
        {
            ports.add(FreePorts.next());
        }
    }

    static final class Child
    {
        public static void main(final String[] args)
        {
            final Set<Integer> ports = new HashSet<>();
            addAll(ports);
            ports.forEach(System.out::println);
        }
    }

    static final class UsingTheNextPort
    {
        public static void main(final String[] args) throws IOException
        {
            try (ServerSocket used = Sockets.listen(FreePorts.next() + 1))
            {
                System.out.println(FreePorts.next() == used.getLocalPort() ? "given" : "left out");
            }
        }
    }
}
