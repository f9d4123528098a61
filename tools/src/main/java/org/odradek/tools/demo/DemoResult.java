// SPDX-License-Identifier: Apache-2.0
package org.odradek.tools.demo;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.odradek.tools.numbers.Environment;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The result of the demo.
 *
 * @param plan  of the run.
 * @param ours  the cost of our consumer.
 * @param stock the cost of the stock consumer.
 */
record DemoResult(Plan plan, Client ours, Client stock)
{
    private static final int WARM_UP_SECONDS = 20;
    private static final ObjectMapper MAPPER = new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);

    ObjectNode toJson()
    {
        final ObjectNode json = MAPPER.createObjectNode();
        json.set("ours", MAPPER.valueToTree(ours));
        json.set("stock", MAPPER.valueToTree(stock));
        final ObjectNode ratios = json.putObject("ratios");
        ratio(ratios, "allocatedBytes", ours.allocatedBytes(), stock.allocatedBytes());
        ratio(ratios, "cpuPercentProcess", ours.cpuPercentProcess(), stock.cpuPercentProcess());
        ratio(ratios, "cpuPercentThread", ours.cpuPercentThread(), stock.cpuPercentThread());
        json.set("environment", Environment.here().set("settings", MAPPER.createObjectNode()
            .put("rate", plan.rate())
            .put("valueLength", DemoClient.VALUE_LENGTH)
            .put("producerLingerMs", PacedProducer.LINGER_MS)
            .put("warmUpSeconds", plan.warmUpSeconds())
            .put("measuredSeconds", plan.measuredSeconds())
            .put("ownBroker", plan.bootstrap() == null)
            .put("secure", plan.isSecure())
            .put("clients", DemoClient.settings())));
        return json;
    }

    void writeTo(final Path file) throws IOException
    {
        if (file.toAbsolutePath().getParent() != null)
        {
            Files.createDirectories(file.toAbsolutePath().getParent());
        }
        Files.writeString(file, MAPPER.writeValueAsString(toJson()) + "\n");
    }

    private static void ratio(final ObjectNode ratios, final String name, final double ours, final double stock)
    {
        ratios.put(name, stock == 0 ? null : (Double) (ours / stock));
    }

    /**
     * How fast the producer sends, and how long each client is warmed up and measured.
     *
     * @param rate            records per second.
     * @param warmUpSeconds   not measured.
     * @param measuredSeconds measured.
     * @param bootstrap       of a cluster to use, or null to start a broker.
     * @param isSecure        whether the clients connect with TLS and SASL.
     */
    record Plan(int rate, int warmUpSeconds, int measuredSeconds, String bootstrap, boolean isSecure)
    {
        static Plan of(final int rate, final int seconds, final String bootstrap, final boolean isSecure)
        {
            return new Plan(rate, WARM_UP_SECONDS, seconds, bootstrap, isSecure);
        }
    }

    /**
     * All meters at one moment. The difference of two readings is the cost of the time between them.
     *
     * @param timeNs            of the reading.
     * @param records           delivered so far.
     * @param allocatedBytes    by the polling thread, since it started.
     * @param cpuNsThread       of the polling thread.
     * @param fetches           answered.
     * @param cpuNsProcess      of all threads, including those of the JIT and of the collector.
     * @param gcCount           of all collectors.
     * @param allocatedBytesJvm by all threads except the measuring one, which a real service does not have.
     */
    record Reading(
        long timeNs,
        long records,
        long allocatedBytes,
        long cpuNsThread,
        long fetches,
        long cpuNsProcess,
        long gcCount,
        long allocatedBytesJvm)
    {
    }

    /**
     * The cost of one client, as the JSON of the demo shows it.
     *
     * @param records           read in the measured time.
     * @param allocatedBytes    by the polling thread.
     * @param bytesPerRecord    of the polling thread.
     * @param gcCount           collections of the JVM.
     * @param cpuPercentProcess of one core.
     * @param cpuPercentThread  of the polling thread, of one core.
     * @param fetchesPerSecond  answered fetch requests.
     * @param allocatedBytesJvm by all threads except the measuring one.
     */
    record Client(
        long records,
        long allocatedBytes,
        double bytesPerRecord,
        long gcCount,
        double cpuPercentProcess,
        double cpuPercentThread,
        double fetchesPerSecond,
        long allocatedBytesJvm)
    {
        static Client between(final Reading from, final Reading to)
        {
            final double elapsedNs = to.timeNs() - from.timeNs();
            final long records = to.records() - from.records();
            final long allocated = to.allocatedBytes() - from.allocatedBytes();
            return new Client(
                records,
                allocated,
                records == 0 ? 0 : (double) allocated / records,
                to.gcCount() - from.gcCount(),
                100 * (to.cpuNsProcess() - from.cpuNsProcess()) / elapsedNs,
                100 * (to.cpuNsThread() - from.cpuNsThread()) / elapsedNs,
                1e9 * (to.fetches() - from.fetches()) / elapsedNs,
                to.allocatedBytesJvm() - from.allocatedBytesJvm());
        }
    }
}
