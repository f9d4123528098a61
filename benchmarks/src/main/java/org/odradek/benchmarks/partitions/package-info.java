/*
 * Licensed under the Apache License, Version 2.0; see the file LICENSE.
 */

/**
 * {@code bench partitions}: what a consumer costs that reads very many partitions of which few have new records.
 */
package org.odradek.benchmarks.partitions;
