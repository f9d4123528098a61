// SPDX-License-Identifier: Apache-2.0

/**
 * Internal: the names, units and meanings of the metrics that Odradek exports to monitoring systems. This package uses
 * no other package.
 */
package org.odradek.client.metrics;
