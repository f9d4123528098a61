// SPDX-License-Identifier: Apache-2.0
package org.odradek.tools.demo;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import org.odradek.testkit.BrokerProcess;
import org.odradek.testkit.BrokerSecurity;
import org.odradek.testkit.BrokerSettings;
import org.odradek.testkit.JavaProcess;
import org.odradek.testkit.SecureListener;

import java.util.concurrent.TimeUnit;

/**
 * One run of the demo: it starts a broker and a paced producer, and measures the stock client and then ours, one at a
 * time so that neither disturbs the other. All processes and topics are removed when it returns or when this JVM ends.
 */
final class Demo
{
    private static final String QUIET = "-Dorg.slf4j.simpleLogger.defaultLogLevel=error";
    private static final String TOPIC = "demo";
    private static final String MECHANISM = "SCRAM-SHA-512";
    private static final int EXIT_CODE_SIGINT = 130;
    private static final int EXIT_CODE_SIGTERM = 143;
    private static final int PATIENCE_SECONDS = 120;

    private final DemoResult.Plan plan;
    private final Screen screen;

    Demo(final DemoResult.Plan plan, final Screen screen)
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
        screen.line("Starting a Kafka broker in a second JVM...");
        try (BrokerProcess broker =
            BrokerProcess.start(plan.isSecure() ? new BrokerSettings().secured() : new BrokerSettings()))
        {
            broker.createTopic(TOPIC, 1);
            if (!plan.isSecure())
            {
                return runAt(broker.bootstrapServers(), TOPIC);
            }
            screen.line("Both clients connect with TLS and " + MECHANISM + " as " + BrokerSecurity.USER +
                ", to the same listener.");
            try (JavaProcess producer = startProducer(broker.bootstrapServers(), TOPIC))
            {
                return runAt(broker.bootstrapServers(SecureListener.SASL_SSL), TOPIC, producer,
                    broker.security().writeClientProperties(SecureListener.SASL_SSL, MECHANISM).toString());
            }
        }
    }

    private DemoResult runAt(final String bootstrap, final String topic)
    {
        try (JavaProcess producer = startProducer(bootstrap, topic))
        {
            return runAt(bootstrap, topic, producer);
        }
    }

    private DemoResult runAt(
        final String bootstrap, final String topic, final JavaProcess producer, final String... config)
    {
        screen.line("A producer sends " + plan.rate() + " records/s of " + DemoClient.VALUE_LENGTH +
            " bytes, linger " + PacedProducer.LINGER_MS + " ms.");
        screen.line(DemoClient.settings());
        screen.line("One at a time, each client is warmed up for " + plan.warmUpSeconds() +
            " s (ours longer, until it has allocated nothing for 10 s) and then measured for " +
            plan.measuredSeconds() + " s.");
        final DemoResult.Client stock = measure(ClientMain.STOCK, bootstrap, topic, config);
        final DemoResult.Client ours = measure(ClientMain.OURS, bootstrap, topic, config);
        if (!producer.isAlive())
        {
            throw new IllegalStateException("The producer ended early: " + producer.outputTail());
        }
        return new DemoResult(plan, ours, stock);
    }

    private JavaProcess startProducer(final String bootstrap, final String topic)
    {
        return JavaProcess.of(PacedProducer.class)
            .flags("-Xmx64m", "-XX:+UseSerialGC", QUIET)
            .args(bootstrap, topic, Integer.toString(plan.rate()))
            .onStderr(System.err::println)
            .start();
    }

    private DemoResult.Client measure(
        final String client, final String bootstrap, final String topic, final String... config)
    {
        final ClientLines lines = new ClientLines(client, screen);
        try (JavaProcess process = JavaProcess.of(ClientMain.class)
            .flags(DemoClient.jvmFlags())
            .flags(QUIET)
            .args(client, bootstrap, topic,
                Integer.toString(plan.warmUpSeconds()), Integer.toString(plan.measuredSeconds()))
            .args(config)
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
     * Reads the output of a client's JVM: progress for the screen, then its result or the reason for its failure.
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

        synchronized DemoResult.Client result(final int exitCode)
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
                return new ObjectMapper().readValue(result, DemoResult.Client.class);
            }
            catch (final JsonProcessingException ex)
            {
                throw new IllegalStateException(
                    "The result of the client \"" + client + "\" is not JSON: " + result, ex);
            }
        }
    }
}
