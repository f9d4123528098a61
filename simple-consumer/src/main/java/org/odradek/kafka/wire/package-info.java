// SPDX-License-Identifier: Apache-2.0
/**
 * How the packages beside this one speak to brokers: one blocking exchange at a time over the consumer's own
 * connections, and the records of an answer as messages. Not for users.
 */
package org.odradek.kafka.wire;
