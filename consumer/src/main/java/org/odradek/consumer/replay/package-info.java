/*
 * Licensed under the Apache License, Version 2.0; see the file LICENSE.
 */

/**
 * Captured frames read by a real consumer, without a broker and without sockets: a poller that stands where those of
 * the system would. Above the root package, which knows nothing of it.
 */
package org.odradek.consumer.replay;
