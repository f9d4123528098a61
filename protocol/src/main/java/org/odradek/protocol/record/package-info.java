// SPDX-License-Identifier: Apache-2.0

/** Record batches and records, read in place. May use the root package only. */
package org.odradek.protocol.record;
