// SPDX-License-Identifier: Apache-2.0

/**
 * The names, units and meanings of what our artifacts export to monitoring systems. It uses nothing.
 */
package org.odradek.client.metrics;
