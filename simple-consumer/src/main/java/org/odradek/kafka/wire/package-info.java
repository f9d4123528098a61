// SPDX-License-Identifier: Apache-2.0
/** Sends requests to brokers, and converts record sets to messages. This package is internal. */
package org.odradek.kafka.wire;
