/*
 * Licensed under the Apache License, Version 2.0; see the file LICENSE.
 */

/**
 * Threads and the cores they may run on. Needs JNA, which is an optional dependency, and Linux.
 */
package org.odradek.consumer.affinity;
