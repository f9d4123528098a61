/*
 * Licensed under the Apache License, Version 2.0; see the file LICENSE.
 */

/**
 * {@code odradek perf}: how fast a topic is read, and at what cost.
 */
package org.odradek.tools.perf;
