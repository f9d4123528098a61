// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.handler;

/** The kinds of work in which a polling thread may stall ({@link ConsumerListener#onStall}). */
public enum StallPhase
{
    /** The thread delivered records: it ran the handler, or decompressed and checked batches. */
    HANDLER,
    /** The thread waited, and woke up later than planned. */
    WAITING,
    /** The thread did other work, such as a name lookup, a TLS handshake, or the calls of a listener. */
    CONTROL
}
