// SPDX-License-Identifier: Apache-2.0

/**
 * Contains the parts that the consumer and the publisher have in common: connections, security, metadata and counters.
 */
module org.odradek.client
{
    requires transitive org.agrona;
    requires transitive org.odradek.protocol;
    requires transitive java.management;
    requires transitive java.security.sasl;
    requires java.security.jgss;
    requires jdk.management;
    // The modules of netty are resolved only if the program requires them or org.odradek.natives.
    requires static io.netty.common;
    requires static io.netty.tcnative.classes.openssl;
    requires static io.netty.transport;
    requires static io.netty.transport.classes.epoll;
    requires static io.netty.transport.unix.common;

    exports org.odradek.client;
    exports org.odradek.client.context;
    exports org.odradek.client.security;

    exports org.odradek.client.cluster to org.odradek.consumer, org.odradek.publisher;
    exports org.odradek.client.core to
        org.odradek.consumer, org.odradek.kafka, org.odradek.publisher, org.odradek.workers;
    exports org.odradek.client.engine to org.odradek.consumer, org.odradek.publisher, org.odradek.workers;
    exports org.odradek.client.files to org.odradek.consumer, org.odradek.publisher, org.odradek.replay;
    exports org.odradek.client.metrics to
        org.odradek.consumer, org.odradek.micrometer, org.odradek.publisher, org.odradek.workers;
    exports org.odradek.client.net to
        org.odradek.consumer, org.odradek.flink, org.odradek.kafka, org.odradek.publisher;
    exports org.odradek.client.tls to org.odradek.consumer, org.odradek.kafka, org.odradek.publisher;
}
