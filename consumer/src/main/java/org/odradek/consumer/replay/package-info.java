// SPDX-License-Identifier: Apache-2.0

/**
 * Captured frames read by a real consumer, without a broker and without sockets: a poller that stands where those of
 * the system would. Above the root package, which knows nothing of it.
 */
package org.odradek.consumer.replay;
