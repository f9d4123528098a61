/*
 * Licensed under the Apache License, Version 2.0; see the file LICENSE.
 */

/**
 * {@code bench latency}: how long a record takes from when it was to be sent to its callback.
 */
package org.odradek.benchmarks.latency;
