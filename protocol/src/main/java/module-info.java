// SPDX-License-Identifier: Apache-2.0

/**
 * The records that handlers receive, and internally the Kafka wire.
 */
module org.odradek.protocol
{
    requires transitive org.agrona;
    requires com.github.luben.zstd_jni;
    // Automatic modules, which are resolved because Agrona is one, if their jars are there.
    requires static org.lz4.java;
    requires static org.xerial.snappy;

    exports org.odradek.protocol.record;

    exports org.odradek.protocol to
        org.odradek.client, org.odradek.consumer, org.odradek.flink, org.odradek.kafka, org.odradek.oauth,
        org.odradek.publisher, org.odradek.replay;
    exports org.odradek.protocol.compression to org.odradek.consumer, org.odradek.kafka, org.odradek.publisher;
    exports org.odradek.protocol.control to org.odradek.client, org.odradek.consumer, org.odradek.kafka;
    exports org.odradek.protocol.fetch to
        org.odradek.client, org.odradek.consumer, org.odradek.kafka, org.odradek.replay;
    exports org.odradek.protocol.produce to org.odradek.publisher;
}
