// SPDX-License-Identifier: Apache-2.0

/**
 * The names, units and meanings of what our artifacts export to monitoring systems. Nothing in the consumer uses it.
 */
package org.odradek.client.metrics;
