/*
 * Licensed under the Apache License, Version 2.0; see the file LICENSE.
 */

/**
 * Requests and responses off the hot path. May use the root package only.
 */
package org.odradek.protocol.control;
