/*
 * Licensed under the Apache License, Version 2.0; see the file LICENSE.
 */

/**
 * Sockets: connecting, receiving and sending frames, waiting. Uses protocol only.
 */
package org.odradek.consumer.net;
