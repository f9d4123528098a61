// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.jmh;

/**
 * Who reads the recorded fetches.
 */
enum JmhClient
{
    ODRADEK("odradek", "odradek"),
    KAFKA_CLIENTS_POLL("kafka-clients-poll", "kafkaClientsPoll"),
    KAFKA_CLIENTS("kafka-clients", "kafkaClients"),
    CODEC("codec alone", "codec");

    private final String title;
    private final String method;

    JmhClient(final String title, final String method)
    {
        this.title = title;
        this.method = method;
    }

    String title()
    {
        return title;
    }

    /**
     * @return which benchmark it is, for JMH to match.
     */
    String pattern()
    {
        return "^" + FetchBenchmark.class.getName().replace(".", "\\.") + "\\." + method + "$";
    }
}
