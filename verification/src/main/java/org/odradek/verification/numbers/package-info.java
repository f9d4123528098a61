// SPDX-License-Identifier: Apache-2.0

/**
 * Tables of measured results for the terminal and the pages, and the check that the pages show these results.
 */
package org.odradek.verification.numbers;
