// SPDX-License-Identifier: Apache-2.0

/**
 * Tables of measured results for the terminal and the READMEs, and the check that the READMEs show those results.
 */
package org.odradek.tools.numbers;
