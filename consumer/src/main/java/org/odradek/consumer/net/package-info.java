// SPDX-License-Identifier: Apache-2.0

/**
 * Internal: sockets, that is, connecting, receiving and sending frames, and waiting. Uses protocol only.
 */
package org.odradek.consumer.net;
