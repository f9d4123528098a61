// SPDX-License-Identifier: Apache-2.0
/**
 * Internal: sends the requests of the facade to brokers, one blocking request at a time over the consumer's
 * connections, and turns record sets into messages.
 */
package org.odradek.kafka.wire;
