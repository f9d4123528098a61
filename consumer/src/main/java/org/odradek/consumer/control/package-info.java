/*
 * Licensed under the Apache License, Version 2.0; see the file LICENSE.
 */

/**
 * Cluster upkeep: metadata, leaders, offsets. Uses fetch and net.
 */
package org.odradek.consumer.control;
