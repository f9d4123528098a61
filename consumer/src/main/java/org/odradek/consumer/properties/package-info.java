// SPDX-License-Identifier: Apache-2.0

/** Reads the properties of Kafka's consumer into the settings of {@code core}. */
package org.odradek.consumer.properties;
