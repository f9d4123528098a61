// SPDX-License-Identifier: Apache-2.0

/**
 * Sockets: connecting, receiving and sending frames, waiting. Uses protocol only.
 */
package org.odradek.consumer.net;
