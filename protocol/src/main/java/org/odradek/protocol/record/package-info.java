/*
 * Licensed under the Apache License, Version 2.0; see the file LICENSE.
 */

/**
 * Record batches and records, read in place. May use the root package only.
 */
package org.odradek.protocol.record;
