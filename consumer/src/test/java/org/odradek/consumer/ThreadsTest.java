// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.odradek.client.TransportType;
import org.odradek.client.security.SecuritySettings;
import org.odradek.client.security.TlsProviderType;
import org.odradek.client.security.TlsSettings;
import org.odradek.consumer.support.OneTopicBroker;
import org.odradek.consumer.support.Reading;
import org.odradek.testkit.internal.JavaProcess;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

import static org.junit.jupiter.api.Assertions.assertEquals;

/** Checks in a JVM of its own that a consumer starts no thread, not even one that ends at once. */
class ThreadsTest
{
    /** Prints how many threads were started, without the JVM's own, while a consumer connected, polled and closed. */
    public static final class Connector
    {
        private static final int POLLS = 50;
        private static final Set<String> OF_THE_JVM =
            Set.of("Common-Cleaner", "Notification Thread", "Attach Listener");

        private Connector()
        {
        }

        public static void main(final String[] args)
        {
            final Set<String> namesBefore = names();
            final long before = ManagementFactory.getThreadMXBean().getTotalStartedThreadCount();
            final ConsumerContext context = Reading.context("127.0.0.1:1", OneTopicBroker.TOPIC)
                .transport(TransportType.valueOf(args[0])).errorHandler((error) -> { })
                .group(new GroupSettings("group"));
            if (args.length > 1)
            {
                context.security(SecuritySettings.tlsOnly(
                    TlsSettings.trustOfJvm().provider(TlsProviderType.valueOf(args[1]))));
            }
            try (TopicConsumer consumer = TopicConsumer.connect(context))
            {
                for (int i = 0; i < POLLS; i++)
                {
                    consumer.poll((record) -> { }, 1, TimeUnit.MILLISECONDS.toNanos(1));
                }
            }
            final Set<String> started = names();
            started.removeAll(namesBefore);
            final long ofTheJvm = started.stream().filter(OF_THE_JVM::contains).count();
            started.removeAll(OF_THE_JVM);
            System.out.println(
                ManagementFactory.getThreadMXBean().getTotalStartedThreadCount() - before - ofTheJvm + " " + started);
        }

        private static Set<String> names()
        {
            return Thread.getAllStackTraces().keySet().stream().map(Thread::getName)
                .collect(Collectors.toCollection(TreeSet::new));
        }
    }

    @ParameterizedTest
    @CsvSource({"NIO", "EPOLL", "'NIO JDK'", "'EPOLL BORINGSSL'"})
    void shouldStartNoThread(final String kind)
    {
        final List<String> lines = Collections.synchronizedList(new ArrayList<>());
        try (JavaProcess process =
            JavaProcess.of(Connector.class).startingQuickly().args(kind.split(" ")).onStdout(lines::add).start())
        {
            assertEquals(0, process.exitCode(60, TimeUnit.SECONDS), process::outputTail);
        }
        assertEquals(List.of("0 []"), lines);
    }
}
