// SPDX-License-Identifier: Apache-2.0

/** Internal: opens files for reading and writing. */
package org.odradek.client.files;
