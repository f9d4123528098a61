// SPDX-License-Identifier: Apache-2.0

/** Sends one request at a time over a connection and waits for its response. This package is internal. */
package org.odradek.kafka.blocking;
