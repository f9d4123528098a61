// SPDX-License-Identifier: Apache-2.0

/** Handles the records of one consumer on several threads; see {@link org.odradek.workers.Workers}. */
package org.odradek.workers;
