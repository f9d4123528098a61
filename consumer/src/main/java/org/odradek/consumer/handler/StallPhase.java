// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.handler;

/**
 * What a polling thread did while it stalled.
 */
public enum StallPhase
{
    /** It delivered records: it ran the handler, or decompressed and checked batches. */
    HANDLER,
    /** It waited, and woke up long after the end of the wait: the thread or its machine was suspended. */
    WAITING,
    /** It did anything else, such as a name lookup, a TLS handshake, or the calls of a listener. */
    CONTROL
}
