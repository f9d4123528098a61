// SPDX-License-Identifier: Apache-2.0
package org.odradek.verification.matrix;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A version of Kafka, and what it supports and needs.
 *
 * @param text    such as 3.9.2.
 * @param release a number that orders versions: 2.8 is 2008.
 */
record KafkaVersion(String text, int release)
{
    private static final Pattern FORM = Pattern.compile("(\\d{1,2})\\.(\\d{1,2})(\\.\\d{1,2}){1,2}");
    private static final int RELEASES_PER_MAJOR = 1_000;
    /** Before 1.0 the second number was the major one. 0.11 is the first with batches of magic 2 and transactions. */
    private static final int OLDEST = 11;
    private static final int FIRST_WITHOUT_JAXB = 1_000;
    private static final int FIRST_WITH_ZSTD = 2_001;
    private static final int FIRST_WITH_SECURE_LISTENER = 2_001;
    private static final int FIRST_WITH_SCRAM_IN_FORMAT = 3_005;
    private static final int FIRST_WITH_SCALA_213 = 2_004;
    private static final int FIRST_WITH_ZOOKEEPER_FOR_JDK_17 = 2_008;
    private static final int FIRST_WITH_ONE_FORMAT = 3_000;
    private static final int FIRST_WITHOUT_ZOOKEEPER = 3_003;
    private static final int FIRST_WITHOUT_LOG4J_1 = 4_000;
    private static final int FIRST_WITH_CLASSIC_GROUPS = 2_003;
    private static final int FIRST_WITH_CONSUMER_GROUPS = 4_000;

    static KafkaVersion of(final String text)
    {
        final Matcher matcher = FORM.matcher(text);
        if (!matcher.matches())
        {
            throw new IllegalArgumentException("'" + text + "' is not a version of Kafka: it must look like 3.9.2.");
        }
        final int release = Integer.parseInt(matcher.group(1)) * RELEASES_PER_MAJOR +
            Integer.parseInt(matcher.group(2));
        if (release < OLDEST)
        {
            throw new IllegalArgumentException("Kafka " + text + " is older than 0.11, the first that our " +
                "consumer can read.");
        }
        return new KafkaVersion(text, release);
    }

    String scala()
    {
        return release < FIRST_WITH_SCALA_213 ? "2.12" : "2.13";
    }

    boolean hasZooKeeper()
    {
        return release < FIRST_WITHOUT_ZOOKEEPER;
    }

    /** Clients of ZooKeeper before 3.5.8 cannot resolve a host on JDK 14 and later (ZOOKEEPER-3779). */
    boolean needsNewerZooKeeper()
    {
        return release < FIRST_WITH_ZOOKEEPER_FOR_JDK_17;
    }

    /** It uses a class that JDK 11 and later lack. */
    boolean needsJaxb()
    {
        return release < FIRST_WITHOUT_JAXB;
    }

    boolean logsWithLog4j1()
    {
        return release < FIRST_WITHOUT_LOG4J_1;
    }

    /** Old versions configure SASL otherwise. */
    boolean hasSecureListener()
    {
        return release >= FIRST_WITH_SECURE_LISTENER;
    }

    /** SCRAM where users can be created when the data folder is formatted, else PLAIN. */
    String mechanism()
    {
        return release < FIRST_WITH_SCRAM_IN_FORMAT ? "PLAIN" : "SCRAM-SHA-512";
    }

    /** Whether consumer groups of KIP-848 are enabled. */
    boolean hasConsumerGroups()
    {
        return release >= FIRST_WITH_CONSUMER_GROUPS;
    }

    /** Whether the classic protocol has the form that our members use. */
    boolean hasClassicGroups()
    {
        return release >= FIRST_WITH_CLASSIC_GROUPS;
    }

    /** The protocols of groups, for a table. */
    String groups()
    {
        return hasConsumerGroups() ? "consumer, classic" : hasClassicGroups() ? "classic" : "none";
    }

    /** The topics to write and read: each codec in each format that the broker can store. */
    List<SmokeTopic> topics()
    {
        final List<SmokeTopic> topics = new ArrayList<>();
        for (int magic = release < FIRST_WITH_ONE_FORMAT ? 0 : 2; magic <= 2; magic++)
        {
            for (final String codec : List.of("none", "gzip", "snappy", "lz4"))
            {
                topics.add(new SmokeTopic(codec, magic));
            }
        }
        if (release >= FIRST_WITH_ZSTD)
        {
            topics.add(new SmokeTopic("zstd", 2));
        }
        return topics;
    }

    @Override
    public String toString()
    {
        return text;
    }
}
