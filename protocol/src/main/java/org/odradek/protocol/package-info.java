// SPDX-License-Identifier: Apache-2.0

/** The primitives of the Kafka wire: API keys, error codes, varints, and bounds-checked readers and writers. */
package org.odradek.protocol;
