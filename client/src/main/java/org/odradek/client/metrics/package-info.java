// SPDX-License-Identifier: Apache-2.0

/** Internal: contains the names, units and meanings of the exported metrics. */
package org.odradek.client.metrics;
