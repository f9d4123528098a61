// SPDX-License-Identifier: Apache-2.0
package org.odradek.verification.numbers;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;

import java.time.LocalDate;
import java.time.ZoneOffset;

/**
 * The machine, JVM and day of a measurement.
 */
public final class Environment
{
    private static final int DAY_LENGTH = "2026-11-21".length();
    private static final int COMMIT_LENGTH = 10;

    private Environment()
    {
    }

    /**
     * @return the environment of this JVM, which also starts the clients.
     */
    public static ObjectNode here()
    {
        final ObjectNode environment = JsonNodeFactory.instance.objectNode();
        environment.put("jvm", System.getProperty("java.vm.name") + " " + System.getProperty("java.vm.version"));
        environment.put("os", System.getProperty("os.name") + " " + System.getProperty("os.arch"));
        environment.put("cpus", Runtime.getRuntime().availableProcessors());
        environment.put("date", LocalDate.now(ZoneOffset.UTC).toString());
        return environment;
    }

    /**
     * @return the end of a sentence on a result of the benchmarks: the command with its options, the commit if it is
     *         known, and {@link #sentence}.
     */
    static String writtenBy(final JsonNode environment)
    {
        return "written by `" + environment.path("command").asText() + " --record`, " +
            (environment.has("commit") ? "commit " + commit(environment) + ", " : "") + sentence(environment);
    }

    /** Older results do not say whether they were clean. */
    private static String commit(final JsonNode environment)
    {
        return shortened(environment.path("commit").asText()) +
            (environment.path("clean").asBoolean(true) ? "" : " with changes that were not committed");
    }

    static String shortened(final String commit)
    {
        return commit.substring(0, Math.min(COMMIT_LENGTH, commit.length()));
    }

    public static String sentence(final JsonNode environment)
    {
        final String date = environment.path("date").asText();
        final String day = date.length() > DAY_LENGTH ? date.substring(0, DAY_LENGTH) : date;
        final String cpuModel = environment.has("cpuModel") ? " (" + environment.path("cpuModel").asText() + ")" : "";
        return day + ", " + environment.path("jvm").asText() + ", " +
            environment.path("os").asText() + ", " + environment.path("cpus").asInt() + " CPUs" + cpuModel + ".";
    }
}
