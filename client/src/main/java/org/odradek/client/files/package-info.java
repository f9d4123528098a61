// SPDX-License-Identifier: Apache-2.0

/** Internal: opens files for reading and writing, and has the layout of counters files. */
package org.odradek.client.files;
