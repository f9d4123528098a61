// SPDX-License-Identifier: Apache-2.0

/**
 * The consumer: its API, and internally all of its parts.
 */
module org.odradek.consumer
{
    requires transitive org.odradek.client;
    // An automatic module, which is resolved because Agrona is one, if its jar is there. Not transitive: a program
    // without it could not be compiled.
    requires static HdrHistogram;

    exports org.odradek.consumer;
    exports org.odradek.consumer.handler;
}
