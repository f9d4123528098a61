// SPDX-License-Identifier: Apache-2.0

/** The clients under measurement, ours and the rivals: a file for each, and {@code Arms}, the table of all. */
package org.odradek.benchmarks.clients;
