// SPDX-License-Identifier: Apache-2.0

/**
 * Internal: the cluster as the control plane sees it: metadata, the known brokers, and a connection for one control
 * request at a time. It uses {@code net}.
 */
package org.odradek.client.cluster;
