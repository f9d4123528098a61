// SPDX-License-Identifier: Apache-2.0
package org.odradek.tools.demo;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import org.odradek.testkit.BrokerProcess;
import org.odradek.testkit.JavaProcess;

import java.util.concurrent.TimeUnit;

/**
 * One run: a broker, a topic and a paced producer that sends all the while, then the stock client and ours, one after
 * the other so that neither disturbs the other. What is started here is gone when it returns, or when this JVM ends.
 */
final class Demo
{
    private static final String QUIET = "-Dorg.slf4j.simpleLogger.defaultLogLevel=error";
    private static final String TOPIC = "demo";
    private static final int EXIT_CODE_SIGINT = 130;
    private static final int EXIT_CODE_SIGTERM = 143;
    private static final int PATIENCE_SECONDS = 120;

    private final DemoPlan plan;
    private final Screen screen;

    Demo(final DemoPlan plan, final Screen screen)
    {
        this.plan = plan;
        this.screen = screen;
    }

    DemoResult run() throws InterruptedException
    {
        if (plan.bootstrap() != null)
        {
            try (DemoTopic topic = new DemoTopic(plan.bootstrap()))
            {
                return runAt(plan.bootstrap(), topic.name());
            }
        }
        screen.line("Starting a Kafka broker in a JVM of its own...");
        try (BrokerProcess broker = BrokerProcess.start())
        {
            broker.createTopic(TOPIC, 1);
            return runAt(broker.bootstrapServers(), TOPIC);
        }
    }

    private DemoResult runAt(final String bootstrap, final String topic)
    {
        try (JavaProcess producer = startProducer(bootstrap, topic))
        {
            screen.line("A producer sends " + plan.rate() + " records/s of " + FetchSettings.VALUE_LENGTH +
                " bytes, linger " + PacedProducer.LINGER_MS + " ms.");
            screen.line(FetchSettings.sentence());
            screen.line("One after the other, each client gets " + plan.warmUpSeconds() +
                " s of warm-up, which do not count (ours more, until 10 s pass without a byte), " +
                "and " + plan.measuredSeconds() + " s that do.");
            final ClientResult stock = measure(ClientMain.STOCK, bootstrap, topic);
            final ClientResult ours = measure(ClientMain.OURS, bootstrap, topic);
            if (!producer.isAlive())
            {
                throw new IllegalStateException("The producer ended early: " + producer.outputTail());
            }
            return new DemoResult(plan, ours, stock);
        }
    }

    private JavaProcess startProducer(final String bootstrap, final String topic)
    {
        return JavaProcess.of(PacedProducer.class)
            .flags("-Xmx64m", "-XX:+UseSerialGC", QUIET)
            .args(bootstrap, topic, Integer.toString(plan.rate()))
            .onStderr(System.err::println)
            .start();
    }

    private ClientResult measure(final String client, final String bootstrap, final String topic)
    {
        final ClientLines lines = new ClientLines(client, screen);
        try (JavaProcess process = JavaProcess.of(ClientMain.class)
            .flags(FetchSettings.JVM_FLAGS)
            .flags(QUIET)
            .args(client, bootstrap, topic,
                Integer.toString(plan.warmUpSeconds()), Integer.toString(plan.measuredSeconds()))
            .onStdout(lines::onLine)
            .onStderr(System.err::println)
            .start())
        {
            final int exitCode = process.exitCode(
                plan.warmUpSeconds() + ClientMain.MAX_MORE_WARM_UP_SECONDS + plan.measuredSeconds() +
                    PATIENCE_SECONDS, TimeUnit.SECONDS);
            return lines.result(exitCode);
        }
    }

    /**
     * What one client's JVM says: progress for the screen, and at last its result or why there is none.
     */
    private static final class ClientLines
    {
        private final String client;
        private final Screen screen;
        private String result;
        private String failure;

        ClientLines(final String client, final Screen screen)
        {
            this.client = client;
            this.screen = screen;
        }

        synchronized void onLine(final String line)
        {
            if (line.startsWith(ClientMain.PROGRESS))
            {
                screen.progress(client + " " + line.substring(ClientMain.PROGRESS.length()));
            }
            else if (line.startsWith(ClientMain.RESULT))
            {
                result = line.substring(ClientMain.RESULT.length());
            }
            else if (line.startsWith(ClientMain.FAILED))
            {
                failure = line.substring(ClientMain.FAILED.length());
            }
        }

        synchronized ClientResult result(final int exitCode)
        {
            screen.endProgress();
            if (exitCode == EXIT_CODE_SIGINT || exitCode == EXIT_CODE_SIGTERM)
            {
                throw new IllegalStateException("Interrupted while the client \"" + client + "\" ran.");
            }
            if (exitCode != 0 || result == null)
            {
                throw new IllegalStateException("The JVM of the client \"" + client + "\" failed: " +
                    (failure == null ? "exit code " + exitCode + "." : failure));
            }
            try
            {
                return new ObjectMapper().readValue(result, ClientResult.class);
            }
            catch (final JsonProcessingException ex)
            {
                throw new IllegalStateException(
                    "The result of the client \"" + client + "\" is no JSON: " + result, ex);
            }
        }
    }
}
