/*
 * Licensed under the Apache License, Version 2.0; see the file LICENSE.
 */

/**
 * {@code bench sle}: the highest rate at which a latency is kept, on three brokers with three replicas.
 */
package org.odradek.benchmarks.sle;
