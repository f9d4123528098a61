/*
 * Licensed under the Apache License, Version 2.0; see the file LICENSE.
 */

/**
 * The fetch cycle, from a frame to the handler. Uses net.
 */
package org.odradek.consumer.fetch;
