// SPDX-License-Identifier: Apache-2.0

/** Internal: opens files for reading and writing. Every package may use this package. */
package org.odradek.client.files;
