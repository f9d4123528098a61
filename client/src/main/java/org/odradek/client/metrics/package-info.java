// SPDX-License-Identifier: Apache-2.0

/**
 * Internal: contains the names, units and meanings of the exported metrics. This package uses no other package of
 * Odradek.
 */
package org.odradek.client.metrics;
