// SPDX-License-Identifier: Apache-2.0

/**
 * Internal: what the parts of a consumer share beyond those of every client: its settings, its start positions, the
 * wrapper of its listener and its environment.
 */
package org.odradek.consumer.core;
