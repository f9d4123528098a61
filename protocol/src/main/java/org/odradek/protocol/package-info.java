// SPDX-License-Identifier: Apache-2.0

/**
 * Internal: the primitives of the Kafka wire protocol, that is, API keys, error codes, varints, bounds-checked
 * readers and writers, and how text of a peer is shown.
 */
package org.odradek.protocol;
