// SPDX-License-Identifier: Apache-2.0

/**
 * The consumer: its API, and internally all of its parts.
 */
module org.odradek.consumer
{
    requires transitive org.agrona;
    requires transitive org.odradek.protocol;
    requires transitive java.management;
    requires transitive java.security.sasl;
    requires java.security.jgss;
    requires jdk.management;
    // An automatic module, which is resolved because Agrona is one, if its jar is there. Not transitive: a program
    // without it could not be compiled.
    requires static HdrHistogram;
    // The modules of netty are resolved only if the program requires them or org.odradek.natives.
    requires static io.netty.common;
    requires static io.netty.tcnative.classes.openssl;
    requires static io.netty.transport;
    requires static io.netty.transport.classes.epoll;
    requires static io.netty.transport.unix.common;

    exports org.odradek.consumer;
    exports org.odradek.consumer.handler;
    exports org.odradek.consumer.security;

    exports org.odradek.consumer.blocking to org.odradek.kafka;
    exports org.odradek.consumer.cluster to org.odradek.publisher;
    exports org.odradek.consumer.core to org.odradek.publisher;
    exports org.odradek.consumer.files to org.odradek.replay;
    exports org.odradek.consumer.metrics to org.odradek.micrometer;
    exports org.odradek.consumer.net to org.odradek.flink, org.odradek.publisher;
    exports org.odradek.consumer.tls to org.odradek.publisher;
}
