// SPDX-License-Identifier: Apache-2.0

/**
 * The consumer: its API and its internal parts.
 */
module org.odradek.consumer
{
    requires transitive org.odradek.client;
    // This automatic module is resolved if its jar exists, because Agrona is an automatic module, too. It is not
    // transitive, because a program without the jar could not be compiled then.
    requires static HdrHistogram;

    exports org.odradek.consumer;
    exports org.odradek.consumer.handler;

    exports org.odradek.consumer.core to org.odradek.workers;
}
