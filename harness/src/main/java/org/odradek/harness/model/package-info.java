// SPDX-License-Identifier: Apache-2.0

/**
 * A model of a Kafka cluster: bytes in, bytes out, on the caller's thread and the caller's clock. It encodes and
 * decodes with the message classes and record builders of kafka-clients only, so that it is an independent reading of
 * the protocol. {@link org.odradek.harness.model.ModelCluster} is the place to begin;
 * {@link org.odradek.harness.model.ModelPeer} serves a broker of the model over a real socket.
 */
package org.odradek.harness.model;
