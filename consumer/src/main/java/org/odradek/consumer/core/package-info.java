// SPDX-License-Identifier: Apache-2.0

/**
 * Internal: the objects that the parts of a consumer share, in addition to those of every client: its settings, its
 * start positions, the wrapper of its listener and its environment.
 */
package org.odradek.consumer.core;
