// SPDX-License-Identifier: Apache-2.0

/**
 * Internal: the primitives of the Kafka wire protocol, that is, API keys, error codes, varints, and bounds-checked
 * readers and writers.
 */
package org.odradek.protocol;
